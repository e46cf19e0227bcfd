using System.ComponentModel.DataAnnotations;

namespace MvcSample.Models;

/// <summary>An address of the web. [Url] takes those of FTP too, and does not look behind the scheme.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class WebAddressAttribute : ValidationAttribute
{
    public override bool IsValid(object? value) =>
        value is not string { Length: > 0 } text
        || (Uri.TryCreate(text, UriKind.Absolute, out var address)
            && (address.Scheme == Uri.UriSchemeHttp || address.Scheme == Uri.UriSchemeHttps));
}
