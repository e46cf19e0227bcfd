using Microsoft.AspNetCore.Authentication;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>
/// A user that the web server has verified, before the request gets it as its own. <c>Principal</c> is what the request
/// gets if nothing is changed.
/// </summary>
/// <param name="context">The request.</param>
/// <param name="scheme">The scheme that reads the user.</param>
/// <param name="options">Its options.</param>
public sealed class FastCgiUserValidatedContext(
    HttpContext context, AuthenticationScheme scheme, FastCgiUserOptions options)
    : ResultContext<FastCgiUserOptions>(context, scheme, options)
{
    /// <summary>The name that the web server has verified; never empty.</summary>
    public required string UserName { get; init; }

    /// <summary>How it was verified, for instance <c>Basic</c>; null when the web server does not say.</summary>
    public string? AuthType { get; init; }
}
