using FastCgi.AspNetCore.Authentication;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Signs in the users that the web server has verified.</summary>
public static class FastCgiUserExtensions
{
    /// <summary>
    /// Adds the scheme under its own name, <see cref="FastCgiUserDefaults.AuthenticationScheme"/>. Its options are
    /// configured elsewhere: by <c>services.Configure&lt;FastCgiUserOptions&gt;</c> under the name of the scheme. They
    /// must set <see cref="FastCgiUserOptions.UserParameter"/>.
    /// </summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    public static AuthenticationBuilder AddFastCgiUser(this AuthenticationBuilder builder) =>
        builder.AddFastCgiUser(FastCgiUserDefaults.AuthenticationScheme);

    /// <summary>
    /// Adds the scheme under another name, with options that are configured elsewhere, under this name. They must set
    /// <see cref="FastCgiUserOptions.UserParameter"/>.
    /// </summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, string authenticationScheme) =>
        builder.AddFastCgiUser(authenticationScheme, static _ => { });

    /// <summary>Adds the scheme under its own name, <see cref="FastCgiUserDefaults.AuthenticationScheme"/>.</summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, Action<FastCgiUserOptions> configureOptions) =>
        builder.AddFastCgiUser(FastCgiUserDefaults.AuthenticationScheme, configureOptions);

    /// <summary>
    /// Adds the scheme under another name, where a web server has two params for users. Nobody is signed in by it on
    /// another server than FastCGI, nor by a header of the request.
    /// </summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, string authenticationScheme, Action<FastCgiUserOptions> configureOptions) =>
        builder.AddFastCgiUser(authenticationScheme, displayName: null, configureOptions);

    /// <summary>Adds the scheme under another name, with the name that a sign-in page shows.</summary>
    /// <param name="builder">From <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    /// <param name="displayName">The name that a sign-in page shows. Null: none.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder,
        string authenticationScheme,
        string? displayName,
        Action<FastCgiUserOptions> configureOptions)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configureOptions);
        // One for all requests, since a handler lives for one of them: when to warn of users that do not count.
        builder.Services.TryAddSingleton(static services =>
            new LogInterval(services.GetService<TimeProvider>() ?? TimeProvider.System));
        // A wrong name of a param shows when the application starts, not with the first request.
        builder.Services.AddOptions<FastCgiUserOptions>(authenticationScheme).ValidateOnStart();
        return builder.AddScheme<FastCgiUserOptions, FastCgiUserHandler>(
            authenticationScheme, displayName, configureOptions);
    }
}
