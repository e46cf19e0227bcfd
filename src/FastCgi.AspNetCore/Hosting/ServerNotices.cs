using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Operations.Exit;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The log of the server and its endpoints. Unused settings are logged once, at the start.</summary>
internal sealed partial class ServerNotices(ILogger logger)
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

    [LoggerMessage(LogEvents.NotAllConnectionsClosedGracefully, LogLevel.Warning,
        "{Requests} request(s) on {Connections} connection(s) had not ended when the time for the stop was over; they "
        + "are aborted.")]
    public partial void NotAllConnectionsClosedGracefully(long requests, int connections);

    [LoggerMessage(LogEvents.NotAllConnectionsAborted, LogLevel.Warning,
        "{Requests} request(s) did not end after they were aborted: their application ignores RequestAborted.")]
    public partial void NotAllConnectionsAborted(long requests);

    [LoggerMessage(LogEvents.StatusListening, LogLevel.Information,
        "The status page and the ping are served on {Addresses}.")]
    public partial void StatusListening(string addresses);

    [LoggerMessage(LogEvents.StatusForNobody, LogLevel.Warning,
        "No client may read the status page {Path}. Add addresses of clients to FastCgi:Status:AllowedClients, or " +
        "set FastCgi:Status:Endpoint.")]
    public partial void StatusForNobody(string path);

    [LoggerMessage(LogEvents.StatusHidesRoute, LogLevel.Warning,
        "The application has a route '{Path}' that no request reaches: the server answers this path itself. Change " +
        "the route, or FastCgi:Status:Path or PingPath.")]
    public partial void StatusHidesRoute(string path);

    [LoggerMessage(LogEvents.Exit, LogLevel.Information,
        "The process ends and leaves its sockets to the next one: {Reason}. It has served {Requests} requests and " +
        "uses {Memory} MiB.")]
    public partial void Exit(ExitReason reason, long requests, long memory);

    [LoggerMessage(LogEvents.ExitNotPossible, LogLevel.Warning,
        "ExitWhenIdleFor, ExitAfterRequests and ExitAboveMemory have no effect: {Endpoint} ends with the process, " +
        "and requests to it would be lost. Let systemd or the web server pass the sockets (a .socket unit, " +
        "spawn-fcgi); or let systemd recycle the process at the price of those requests, by RuntimeMaxSec= or " +
        "MemoryMax= with Restart=always.")]
    public partial void ExitNotPossible(string? endpoint);

    [LoggerMessage(LogEvents.Reloaded, LogLevel.Information,
        "The configuration is applied. Limits hold for requests that begin from now on.")]
    public partial void Reloaded();

    [LoggerMessage(LogEvents.ReloadFailed, LogLevel.Error,
        "The configuration could not be applied: endpoints and limits stay as they were.")]
    public partial void ReloadFailed(Exception exception);

    [LoggerMessage(LogEvents.EndpointsChanged, LogLevel.Information,
        "The server listens on {Addresses}. Added: {Added}. Removed: {Removed}.")]
    public partial void EndpointsChanged(string addresses, string added, string removed);

    [LoggerMessage(LogEvents.InheritedEndpointKept, LogLevel.Warning,
        "The configuration does not name {Addresses}, but the process has inherited these sockets: the server " +
        "listens on them until it restarts. If systemd passed them, disable the .socket unit.")]
    public partial void InheritedEndpointKept(string addresses);

    [LoggerMessage(LogEvents.ClientRefused, LogLevel.Information,
        "Refused on {Address}: {Client} is not allowed to connect ({Count} refused since the last such entry).")]
    public partial void ClientRefused(string address, IPAddress? client, long count);

    [LoggerMessage(LogEvents.InvalidWebServerAddresses, LogLevel.Error,
        "Nobody can connect to {Address}: '{Entry}' in the environment variable FCGI_WEB_SERVER_ADDRS is not " +
        FastCgiAddress.AcceptedNetwork + ".")]
    public partial void InvalidWebServerAddresses(string address, string entry);
}
