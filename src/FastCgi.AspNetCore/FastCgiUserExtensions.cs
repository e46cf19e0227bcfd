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
    /// configured elsewhere: with <c>services.Configure&lt;FastCgiUserOptions&gt;</c> and the name of the scheme. They
    /// must set <see cref="FastCgiUserOptions.UserParameter"/>.
    /// </summary>
    /// <param name="builder">The result of <c>AddAuthentication</c>.</param>
    public static AuthenticationBuilder AddFastCgiUser(this AuthenticationBuilder builder) =>
        builder.AddFastCgiUser(FastCgiUserDefaults.AuthenticationScheme);

    /// <summary>
    /// Adds the scheme under another name, with options that are configured elsewhere, under this name. They must set
    /// <see cref="FastCgiUserOptions.UserParameter"/>.
    /// </summary>
    /// <param name="builder">The result of <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, string authenticationScheme) =>
        builder.AddFastCgiUser(authenticationScheme, static _ => { });

    /// <summary>Adds the scheme under its own name, <see cref="FastCgiUserDefaults.AuthenticationScheme"/>.</summary>
    /// <param name="builder">The result of <c>AddAuthentication</c>.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, Action<FastCgiUserOptions> configureOptions) =>
        builder.AddFastCgiUser(FastCgiUserDefaults.AuthenticationScheme, configureOptions);

    /// <summary>
    /// Adds the scheme under another name, for a web server with two params for users. It never signs in a user on a
    /// server other than FastCGI, or by a header of the request.
    /// </summary>
    /// <param name="builder">The result of <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder, string authenticationScheme, Action<FastCgiUserOptions> configureOptions) =>
        builder.AddFastCgiUser(authenticationScheme, displayName: null, configureOptions);

    /// <summary>Adds the scheme under another name, with a display name for a sign-in page.</summary>
    /// <param name="builder">The result of <c>AddAuthentication</c>.</param>
    /// <param name="authenticationScheme">The name of the scheme.</param>
    /// <param name="displayName">The name for a sign-in page, or null.</param>
    /// <param name="configureOptions">Must set <see cref="FastCgiUserOptions.UserParameter"/>.</param>
    public static AuthenticationBuilder AddFastCgiUser(
        this AuthenticationBuilder builder,
        string authenticationScheme,
        string? displayName,
        Action<FastCgiUserOptions> configureOptions)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configureOptions);
        // One for all requests, because each handler serves only one. Limits the warnings about refused users.
        builder.Services.TryAddSingleton(static services =>
            new LogInterval(services.GetService<TimeProvider>() ?? TimeProvider.System));
        // Validated at the start, so that a wrong param name is found before the first request.
        builder.Services.AddOptions<FastCgiUserOptions>(authenticationScheme).ValidateOnStart();
        return builder.AddScheme<FastCgiUserOptions, FastCgiUserHandler>(
            authenticationScheme, displayName, configureOptions);
    }
}
