using System.ComponentModel.DataAnnotations;

namespace FastCgiMvc.Models;

public class Greeting
{
    [Required(ErrorMessage = "Enter your name.")]
    [StringLength(50, ErrorMessage = "A name has at most 50 characters.")]
    [Display(Name = "Your name")]
    public string? Name { get; set; }
}
