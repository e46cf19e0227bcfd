using FastCgi.AspNetCore.Hosting.Configuration;
using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore;

/// <summary>Configures <see cref="FastCgiServerOptions"/> by a section of the configuration.</summary>
public static class FastCgiServerOptionsExtensions
{
    /// <summary>
    /// Reads options, <c>Limits</c>, <c>EndpointDefaults</c> and <c>Endpoints</c> from a section. The section
    /// <c>FastCgi</c> of the application's configuration has been read before code configures these options; the
    /// endpoints of a section given here take the place of those in it.
    /// </summary>
    /// <remarks>
    /// Keys: the names of these options and of <see cref="FastCgiServerLimits"/>; <c>Endpoints:&lt;name&gt;:Url</c>
    /// with <c>UnixMode</c> (octal), <c>UnixOwner</c>, <c>UnixGroup</c>, <c>Backlog</c>, <c>AllowedClients</c>
    /// (an array or a text with commas), <c>AllowAnyClient</c>, <c>Protocol</c> and <c>AllowUpgrade</c> beside it;
    /// <c>EndpointDefaults</c> with the same but Url; <c>SendFilesByXSendfile</c>, an array of directories or a text
    /// with commas, and <c>SendFilesByXAccelRedirect:&lt;name&gt;</c> with <c>Directory</c> and <c>UriPrefix</c>.
    /// Times are written hh:mm:ss; empty or null is no limit. Read once: a change takes effect at the next start. A
    /// key that is not known is a warning at the start.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// A value cannot be used; the message names key, value and what is accepted.
    /// </exception>
    public static void Configure(this FastCgiServerOptions options, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(configuration);
        var settings = ServerSettings.Read(configuration, options);
        options.UseConfigured(settings.AddEndpoints, settings.ApplyEndpointDefaults, settings.UnknownKeys);
    }
}
