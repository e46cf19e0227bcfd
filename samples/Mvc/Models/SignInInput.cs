using System.ComponentModel.DataAnnotations;

namespace MvcSample.Models;

public sealed class SignInInput
{
    [Display(Name = "User name")]
    [Required(ErrorMessage = "Please enter your user name.")]
    [StringLength(100, ErrorMessage = "A user name has at most {1} characters.")]
    public string UserName { get; set; } = "";

    [Required(ErrorMessage = "Please enter your password.")]
    [StringLength(100, ErrorMessage = "A password has at most {1} characters.")]
    [DataType(DataType.Password)]
    public string Password { get; set; } = "";

    public string? ReturnUrl { get; set; }
}
