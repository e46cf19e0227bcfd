using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>A user that the web server has verified, before the request gets it as its own.</summary>
public sealed class FastCgiUserValidatedContext : ResultContext<FastCgiUserOptions>
{
    /// <summary>The user as the params name it.</summary>
    /// <param name="context">The request.</param>
    /// <param name="scheme">The scheme that reads the user.</param>
    /// <param name="options">Its options.</param>
    /// <param name="principal">What the request gets when nothing is changed.</param>
    /// <param name="userName">The name.</param>
    /// <param name="authType">AUTH_TYPE; null when it was not sent.</param>
    public FastCgiUserValidatedContext(
        HttpContext context,
        AuthenticationScheme scheme,
        FastCgiUserOptions options,
        ClaimsPrincipal principal,
        string userName,
        string? authType)
        : base(context, scheme, options)
    {
        Principal = principal;
        UserName = userName;
        AuthType = authType;
    }

    /// <summary>The name that the web server has verified; never empty.</summary>
    public string UserName { get; }

    /// <summary>How it was verified, for instance <c>Basic</c>; null when the web server does not say.</summary>
    public string? AuthType { get; }
}
