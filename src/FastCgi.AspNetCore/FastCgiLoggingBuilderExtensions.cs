using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.Logging;

/// <summary>Logs by way of the web server.</summary>
public static class FastCgiLoggingBuilderExtensions
{
    /// <summary>
    /// Writes warnings and errors that are logged within a request to its STDERR (FastCGI 1.0, section 5.3), so that
    /// nginx' error log shows them with client and URL: one line each, at most 1024 bytes, with everything but
    /// printable ASCII escaped. Nothing is written for SCGI, outside of requests, and for the server's own entries.
    /// The provider's name in the section <c>Logging</c> is <c>FastCgiErrorLog</c>.
    /// </summary>
    /// <remarks>
    /// It adds <see cref="IHttpContextAccessor"/>, with which the host no longer reuses <see cref="HttpContext"/>.
    /// </remarks>
    /// <param name="builder">The builder of the logging.</param>
    /// <returns>The same builder.</returns>
    public static ILoggingBuilder AddFastCgiErrorLog(this ILoggingBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddHttpContextAccessor();
        builder.Services.TryAddEnumerable(ServiceDescriptor.Singleton<ILoggerProvider, WebServerLoggerProvider>());
        return builder;
    }
}
