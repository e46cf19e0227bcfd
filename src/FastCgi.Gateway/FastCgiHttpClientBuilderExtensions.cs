using System.Diagnostics.Metrics;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Clients of IHttpClientFactory whose requests go to a FastCGI or SCGI application.</summary>
public static class FastCgiHttpClientBuilderExtensions
{
    /// <summary>Makes <see cref="FastCgiHandler"/> the primary handler of the client.</summary>
    /// <param name="builder">The builder that AddHttpClient returned.</param>
    /// <param name="endpoint">Where the application listens: <see cref="FastCgiHandlerOptions.Endpoint"/>.</param>
    /// <param name="configure">
    /// Other options, once for each handler that the factory makes. Null: the defaults. The meter factory is that of
    /// the services.
    /// </param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <example>
    /// <code>
    /// services.AddHttpClient("php", client => client.BaseAddress = new Uri("https://blog.example/"))
    ///     .UseFastCgiHandler("unix:/run/php/php-fpm.sock", options => options.DocumentRoot = "/srv/blog");
    /// </code>
    /// </example>
    /// <remarks>
    /// A wrong endpoint or option fails when the factory makes the first handler: <see cref="FormatException"/> or
    /// <see cref="ArgumentException"/>, whose message names it. The factory replaces handlers after two minutes, unless
    /// SetHandlerLifetime says otherwise; connections of a replaced handler are not used again.
    /// </remarks>
    public static IHttpClientBuilder UseFastCgiHandler(
        this IHttpClientBuilder builder, string endpoint, Action<FastCgiHandlerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(endpoint);
        return builder.ConfigurePrimaryHttpMessageHandler(services =>
        {
            var options = new FastCgiHandlerOptions
            {
                Endpoint = endpoint,
                MeterFactory = services.GetService<IMeterFactory>(),
            };
            configure?.Invoke(options);
            return new FastCgiHandler(options);
        });
    }
}
