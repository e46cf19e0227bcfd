using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.Logging;

/// <summary>Logs through the web server.</summary>
public static class FastCgiLoggingBuilderExtensions
{
    /// <summary>
    /// Writes warnings and errors that are logged during a request to its STDERR (FastCGI 1.0, section 5.3): nginx's
    /// error log shows them with client and URL. Each entry is one line of at most 1024 bytes; everything but printable
    /// ASCII is escaped. Nothing is written for SCGI, outside of requests, and for the server's own entries. The
    /// provider's name in the section <c>Logging</c> is <c>FastCgiErrorLog</c>.
    /// </summary>
    /// <remarks>
    /// Adds <see cref="IHttpContextAccessor"/>. With it, the host no longer reuses <see cref="HttpContext"/>.
    /// </remarks>
    /// <param name="builder">The logging builder.</param>
    /// <returns>The same builder.</returns>
    public static ILoggingBuilder AddFastCgiErrorLog(this ILoggingBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddHttpContextAccessor();
        builder.Services.TryAddEnumerable(ServiceDescriptor.Singleton<ILoggerProvider, WebServerLoggerProvider>());
        return builder;
    }
}
