using System.ComponentModel.DataAnnotations;

namespace MvcSample.Models;

public sealed class SignInInput
{
    [Display(Name = "User name")]
    [Required, StringLength(100)]
    public string UserName { get; set; } = "";

    [Required, StringLength(100), DataType(DataType.Password)]
    public string Password { get; set; } = "";

    public string? ReturnUrl { get; set; }
}
