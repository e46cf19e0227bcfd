using Microsoft.AspNetCore.Authentication;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>
/// A user that the web server has verified, before it becomes the user of the request. <c>Principal</c> is the
/// request's user unless it is changed.
/// </summary>
/// <param name="context">The request.</param>
/// <param name="scheme">The scheme that reads the user.</param>
/// <param name="options">The options of the scheme.</param>
public sealed class FastCgiUserValidatedContext(
    HttpContext context, AuthenticationScheme scheme, FastCgiUserOptions options)
    : ResultContext<FastCgiUserOptions>(context, scheme, options)
{
    /// <summary>The name that the web server has verified; never empty.</summary>
    public required string UserName { get; init; }

    /// <summary>The method of verification, for instance <c>Basic</c>; null if the web server does not tell.</summary>
    public string? AuthType { get; init; }
}
