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
    /// with the names of <see cref="FastCgiListenOptions"/> beside it; <c>EndpointDefaults</c> with the same but Url.
    /// <c>UnixMode</c> is octal or a list of names. <c>AllowedClients</c>, <c>FileHandover:XSendfile</c> and
    /// <c>FileHandover:RelayedHeaders</c> are an array or a text with commas;
    /// <c>FileHandover:XAccelRedirect:&lt;name&gt;</c> has a <c>Directory</c> and a <c>UriPrefix</c>. An endpoint's
    /// own <c>AllowedClients</c> and <c>FileHandover</c> take the place of the defaults. Times are written hh:mm:ss;
    /// empty or null is no limit. Read at the start, and at a reload of systemd for endpoints and limits. A key that is
    /// not known is a warning at the start.
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
