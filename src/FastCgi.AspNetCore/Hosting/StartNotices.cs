using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Hosting.Configuration;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Logs the unused settings once, at the start.</summary>
internal sealed partial class StartNotices(ILogger logger)
{
    private const string Fallback =
        " No other address is left, so the server listens on its default, or on inherited sockets. app.Run(url) and " +
        "UseUrls replace ASPNETCORE_URLS.";

    public void NotBound(IEnumerable<string> httpAddresses, bool isFallback) =>
        Tell(all => AddressNotBound(all, isFallback ? Fallback : ""), httpAddresses);

    /// <summary>Reports Kestrel's settings. With a gateway, Kestrel itself uses its endpoints.</summary>
    public void Kestrel(KestrelSettings? kestrel, bool hasGateway)
    {
        if (kestrel is null)
        {
            return;
        }

        Tell(KestrelSettingsTaken, kestrel.Taken);
        if (!hasGateway)
        {
            Tell(KestrelSettingsIgnored, kestrel.Ignored);
            Tell(KestrelEndpointsIgnored, kestrel.Endpoints);
        }

        foreach (Exception failure in kestrel.Failures)
        {
            KestrelConfigurationFailed(failure.GetType().Name, failure.Message);
        }
    }

    public void Overridden(IEnumerable<string> addresses) => Tell(AddressesOverridden, addresses);

    public void Overridden(IEnumerable<FastCgiListenOptions> endpoints) => Tell(EndpointsOverridden, endpoints);

    public void NotTaken(IReadOnlyList<string> inherited) => Tell(all => SocketNotTaken(all, inherited[0]), inherited);

    public void Unknown(IEnumerable<UnknownKey> keys)
    {
        foreach (UnknownKey key in keys)
        {
            UnknownConfigurationKey(key.Path, key.Hint);
        }
    }

    /// <summary>Logs one entry for all names, or none if there are no names.</summary>
    private static void Tell(Action<string> log, IEnumerable<object> named)
    {
        string all = string.Join(", ", named);
        if (all.Length > 0)
        {
            log(all);
        }
    }

    [LoggerMessage(LogEvents.AddressNotBound, LogLevel.Warning,
        "Not listening on {Addresses}: this server speaks FastCGI and SCGI, not HTTP. Remove the address " +
        "(ASPNETCORE_URLS, ASPNETCORE_HTTP_PORTS, launch profile), or give one like " +
        "fastcgi://127.0.0.1:9000.{Fallback}")]
    private partial void AddressNotBound(string addresses, string fallback);

    [LoggerMessage(LogEvents.KestrelSettingsTaken, LogLevel.Information,
        "Taken over from Kestrel's options: {Settings}. Set them in UseFastCgi or in the section FastCgi instead.")]
    private partial void KestrelSettingsTaken(string settings);

    [LoggerMessage(LogEvents.KestrelSettingsIgnored, LogLevel.Information,
        "Kestrel's options have no effect here: {Settings}. They are about HTTP with the client, which is the web " +
        "server's: set them there.")]
    private partial void KestrelSettingsIgnored(string settings);

    [LoggerMessage(LogEvents.KestrelEndpointsIgnored, LogLevel.Warning,
        "This server does not listen on Kestrel's endpoints {Endpoints}. Use Listen or ListenUnixSocket in " +
        "UseFastCgi, or FastCgi:Endpoints in the configuration.")]
    private partial void KestrelEndpointsIgnored(string endpoints);

    [LoggerMessage(LogEvents.KestrelConfigurationFailed, LogLevel.Warning,
        "The application's code for Kestrel failed, and has no effect here. {Exception}: {Failure}")]
    private partial void KestrelConfigurationFailed(string exception, string failure);

    [LoggerMessage(LogEvents.AddressesOverridden, LogLevel.Warning,
        "Not listening on {Addresses}: the endpoints of UseFastCgi and of the configuration are used instead.")]
    private partial void AddressesOverridden(string addresses);

    [LoggerMessage(LogEvents.EndpointsOverridden, LogLevel.Information,
        "Not listening on {Endpoints}: PreferHostingUrls is set, so the addresses of the host are used instead of " +
        "the endpoints of UseFastCgi and of the configuration.")]
    private partial void EndpointsOverridden(string endpoints);

    [LoggerMessage(LogEvents.SocketNotTaken, LogLevel.Warning,
        "Not listening on {Sockets}: the process has inherited it, but no endpoint names it. Its clients wait for " +
        "ever, unless another part of the process accepts them. Remove the endpoints of UseFastCgi and of the " +
        "configuration, or name the socket: FastCgi:Endpoints:NAME:Url={Example}")]
    private partial void SocketNotTaken(string sockets, string example);

    [LoggerMessage(LogEvents.AddressUnavailable, LogLevel.Information,
        "Not listening on {Address}, which this machine does not have: {Reason}")]
    public partial void AddressUnavailable(string address, string reason);

    [LoggerMessage(LogEvents.TemporaryFolderUnusable, LogLevel.Warning,
        "Request bodies cannot go to temporary files: {Reason} Slow uploads stop their connection instead, and fail " +
        "where other requests share it. Set TMPDIR or ASPNETCORE_TEMP to a folder that the process can write to.")]
    public partial void TemporaryFolderUnusable(string reason);

    [LoggerMessage(LogEvents.UnknownConfigurationKey, LogLevel.Warning,
        "The configuration key {Key} is not known and has no effect. {Hint}")]
    private partial void UnknownConfigurationKey(string key, string hint);
}
