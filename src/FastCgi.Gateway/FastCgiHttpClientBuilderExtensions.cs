using System.Diagnostics.Metrics;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Clients of IHttpClientFactory that send requests to a FastCGI or SCGI application.</summary>
public static class FastCgiHttpClientBuilderExtensions
{
    /// <summary>Makes <see cref="FastCgiHandler"/> the primary handler of the client.</summary>
    /// <param name="builder">The builder that AddHttpClient returned.</param>
    /// <param name="endpoint">The address of the application: <see cref="FastCgiHandlerOptions.Endpoint"/>.</param>
    /// <param name="configure">
    /// Other options, set once for each handler that the factory creates. Null for the defaults. The meter factory is
    /// that of the services.
    /// </param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <example>
    /// <code>
    /// services.AddHttpClient("php", client => client.BaseAddress = new Uri("https://blog.example/"))
    ///     .UseFastCgiHandler("unix:/run/php/php-fpm.sock", options => options.DocumentRoot = "/srv/blog");
    /// </code>
    /// </example>
    /// <remarks>
    /// An invalid endpoint or option fails when the factory creates the first handler: with
    /// <see cref="FormatException"/> or <see cref="ArgumentException"/>, whose message names it. The factory replaces
    /// handlers after two minutes, unless SetHandlerLifetime changes that. Connections of replaced handlers are not
    /// reused.
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
