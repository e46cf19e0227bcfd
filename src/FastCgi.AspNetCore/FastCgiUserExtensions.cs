using FastCgi.AspNetCore.Authentication;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Signs in the users that the web server has verified.</summary>
public static class FastCgiUserExtensions
{
    /// <summary>Adds the scheme under its own name, <see cref="FastCgiUserDefaults.AuthenticationScheme"/>.</summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="configure">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, Action<FastCgiUserOptions> configure) =>
        builder.AddFastCgiUser(FastCgiUserDefaults.AuthenticationScheme, configure);

    /// <summary>
    /// Adds the scheme under another name, where a web server has two params for users. Nobody is signed in by it on
    /// another server than FastCGI, nor by a header of the request.
    /// </summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    /// <param name="configure">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, string authenticationScheme, Action<FastCgiUserOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        // One for all requests, since a handler lives for one of them: when to warn of users that do not count.
        builder.Services.TryAddSingleton(static services =>
            new LogInterval(services.GetService<TimeProvider>() ?? TimeProvider.System));
        // A wrong name of a param shows when the application starts, not with the first request.
        builder.Services.AddOptions<FastCgiUserOptions>(authenticationScheme).ValidateOnStart();
        return builder.AddScheme<FastCgiUserOptions, FastCgiUserHandler>(authenticationScheme, configure);
    }
}
