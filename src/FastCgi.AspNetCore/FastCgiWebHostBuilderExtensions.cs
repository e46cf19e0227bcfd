using FastCgi.AspNetCore;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves an application by FastCGI.</summary>
public static class FastCgiWebHostBuilderExtensions
{
    /// <summary>
    /// Makes FastCGI the server of the application. If several servers are registered, the last one is used, so that
    /// tests can replace it with UseTestServer. Nothing is bound before the host starts. The section <c>FastCgi</c> of
    /// the configuration is read first; code can override it. Without an <see cref="IWebHostBuilder"/>, call
    /// <see cref="FastCgiServiceCollectionExtensions.AddFastCgiServer(IServiceCollection)"/>.
    /// </summary>
    /// <param name="builder">The builder of the web host.</param>
    /// <returns>The same builder.</returns>
    public static IWebHostBuilder UseFastCgi(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static services => services.AddFastCgiServer());
    }

    /// <summary>Makes FastCGI the server of the application, and configures it.</summary>
    /// <param name="builder">The builder of the web host.</param>
    /// <param name="configure">Called when the server starts, after the configuration has been read.</param>
    /// <returns>The same builder.</returns>
    public static IWebHostBuilder UseFastCgi(this IWebHostBuilder builder, Action<FastCgiServerOptions> configure) =>
        builder.UseFastCgi().ConfigureFastCgi(configure);

    /// <inheritdoc cref="UseFastCgi(IWebHostBuilder, Action{FastCgiServerOptions})"/>
    public static IWebHostBuilder UseFastCgi(
        this IWebHostBuilder builder, Action<WebHostBuilderContext, FastCgiServerOptions> configure) =>
        builder.UseFastCgi().ConfigureFastCgi(configure);

    /// <summary>Configures the FastCGI server without making it the server of the application.</summary>
    /// <param name="builder">The builder of the web host.</param>
    /// <param name="configure">Called when the server starts, after the configuration has been read.</param>
    /// <returns>The same builder.</returns>
    public static IWebHostBuilder ConfigureFastCgi(this IWebHostBuilder builder, Action<FastCgiServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        return builder.ConfigureServices(services => services.AddFastCgiOptions().Configure(configure));
    }

    /// <inheritdoc cref="ConfigureFastCgi(IWebHostBuilder, Action{FastCgiServerOptions})"/>
    public static IWebHostBuilder ConfigureFastCgi(
        this IWebHostBuilder builder, Action<WebHostBuilderContext, FastCgiServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        return builder.ConfigureServices((context, services) =>
            services.AddFastCgiOptions().Configure<FastCgiServerOptions>(options => configure(context, options)));
    }
}
