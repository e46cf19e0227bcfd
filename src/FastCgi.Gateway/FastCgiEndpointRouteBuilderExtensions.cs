using System.Diagnostics.CodeAnalysis;
using FastCgi.Gateway;
using FastCgi.Gateway.Mapping;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Routes to applications that speak FastCGI or SCGI.</summary>
public static class FastCgiEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Sends the requests of a route to PHP or any other FastCGI or SCGI application, and returns its responses.
    /// </summary>
    /// <param name="endpoints">The routes of the site.</param>
    /// <param name="pattern">
    /// The route, for example <c>/blog/{**path}</c>. The part before the catch-all is the mount point (SCRIPT_NAME of
    /// RFC 3875, section 4.1.13).
    /// </param>
    /// <param name="endpoint">
    /// The address of the application, as in a web server's configuration: <c>unix:/run/php/php-fpm.sock</c>,
    /// <c>127.0.0.1:9000</c>, <c>scgi://unix:/run/app/app.sock</c>.
    /// </param>
    /// <param name="configure">The document root of PHP, and other options. Null for the defaults.</param>
    /// <returns>For conventions such as RequireAuthorization. They also apply to static files.</returns>
    /// <exception cref="FormatException">The endpoint is not an address to connect to.</exception>
    /// <exception cref="ArgumentException">An option is invalid. The message names it.</exception>
    /// <exception cref="DirectoryNotFoundException">The document root does not exist.</exception>
    public static IEndpointConventionBuilder MapFastCgi(
        this IEndpointRouteBuilder endpoints,
        [StringSyntax("Route")] string pattern,
        string endpoint,
        Action<FastCgiGatewayOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        ArgumentNullException.ThrowIfNull(endpoint);
        var options = new FastCgiGatewayOptions();
        configure?.Invoke(options);
        MappedApplication application = ApplicationMapping.Create(endpoints, endpoint, options);
        return endpoints.Map(pattern, application.InvokeAsync).WithDisplayName($"FastCGI {pattern} => {endpoint}");
    }
}
