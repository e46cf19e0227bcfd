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
        Tell((logger, all) => LogNotBound(logger, all, isFallback ? Fallback : ""), httpAddresses);

    /// <summary>Reports Kestrel's settings. With a gateway, Kestrel itself uses its endpoints.</summary>
    public void Kestrel(KestrelSettings? kestrel, bool hasGateway)
    {
        if (kestrel is null)
        {
            return;
        }

        Tell(LogKestrelSettingsTaken, kestrel.Taken);
        if (!hasGateway)
        {
            Tell(LogKestrelSettingsIgnored, kestrel.Ignored);
            Tell(LogKestrelEndpointsIgnored, kestrel.Endpoints);
        }

        foreach (Exception failure in kestrel.Failures)
        {
            LogKestrelConfigurationFailed(logger, failure.GetType().Name, failure.Message);
        }
    }

    /// <param name="reason">The fault; null if they can be written.</param>
    public void TemporaryFiles(string? reason)
    {
        if (reason is not null)
        {
            LogTemporaryFolderUnusable(logger, reason);
        }
    }

    public void Overridden(IEnumerable<string> addresses) => Tell(LogOverridden, addresses);

    public void EndpointsOverridden(IEnumerable<FastCgiListenOptions> endpoints) =>
        Tell(LogEndpointsOverridden, endpoints);

    /// <param name="sockets">Inherited sockets that no endpoint uses.</param>
    public void NotTaken(IReadOnlyList<string> sockets) =>
        Tell((logger, all) => LogNotTaken(logger, all, sockets[0]), sockets);

    public void Unavailable(string address, string reason) => LogUnavailable(logger, address, reason);

    public void Unknown(IEnumerable<UnknownKey> keys)
    {
        foreach (UnknownKey key in keys)
        {
            LogUnknownKey(logger, key.Path, key.Hint);
        }
    }

    /// <summary>Logs one entry for all names, or none if there are no names.</summary>
    private void Tell(Action<ILogger, string> log, IEnumerable<object> named)
    {
        string all = string.Join(", ", named);
        if (all.Length > 0)
        {
            log(logger, all);
        }
    }

    [LoggerMessage(LogEvents.AddressNotBound, LogLevel.Warning,
        "Not listening on {Addresses}: this server speaks FastCGI and SCGI, not HTTP. Remove the address " +
        "(ASPNETCORE_URLS, ASPNETCORE_HTTP_PORTS, launch profile), or give one like " +
        "fastcgi://127.0.0.1:9000.{Fallback}",
        EventName = nameof(LogEvents.AddressNotBound))]
    private static partial void LogNotBound(ILogger logger, string addresses, string fallback);

    [LoggerMessage(LogEvents.KestrelSettingsTaken, LogLevel.Information,
        "Taken over from Kestrel's options: {Settings}. Set them in UseFastCgi or in the section FastCgi instead.",
        EventName = nameof(LogEvents.KestrelSettingsTaken))]
    private static partial void LogKestrelSettingsTaken(ILogger logger, string settings);

    [LoggerMessage(LogEvents.KestrelSettingsIgnored, LogLevel.Information,
        "Kestrel's options have no effect here: {Settings}. They are about HTTP with the client, which is the web " +
        "server's: set them there.",
        EventName = nameof(LogEvents.KestrelSettingsIgnored))]
    private static partial void LogKestrelSettingsIgnored(ILogger logger, string settings);

    [LoggerMessage(LogEvents.KestrelEndpointsIgnored, LogLevel.Warning,
        "This server does not listen on Kestrel's endpoints {Endpoints}. Use Listen or ListenUnixSocket in " +
        "UseFastCgi, or FastCgi:Endpoints in the configuration.",
        EventName = nameof(LogEvents.KestrelEndpointsIgnored))]
    private static partial void LogKestrelEndpointsIgnored(ILogger logger, string endpoints);

    [LoggerMessage(LogEvents.KestrelConfigurationFailed, LogLevel.Warning,
        "The application's code for Kestrel failed, and has no effect here. {Exception}: {Failure}",
        EventName = nameof(LogEvents.KestrelConfigurationFailed))]
    private static partial void LogKestrelConfigurationFailed(ILogger logger, string exception, string failure);

    [LoggerMessage(LogEvents.AddressesOverridden, LogLevel.Warning,
        "Not listening on {Addresses}: the endpoints of UseFastCgi and of the configuration are used instead.",
        EventName = nameof(LogEvents.AddressesOverridden))]
    private static partial void LogOverridden(ILogger logger, string addresses);

    [LoggerMessage(LogEvents.EndpointsOverridden, LogLevel.Information,
        "Not listening on {Endpoints}: PreferHostingUrls is set, so the addresses of the host are used instead of " +
        "the endpoints of UseFastCgi and of the configuration.",
        EventName = nameof(LogEvents.EndpointsOverridden))]
    private static partial void LogEndpointsOverridden(ILogger logger, string endpoints);

    [LoggerMessage(LogEvents.SocketNotTaken, LogLevel.Warning,
        "Not listening on {Sockets}: the process has inherited it, but no endpoint names it. Its clients wait for " +
        "ever, unless another part of the process accepts them. Remove the endpoints of UseFastCgi and of the " +
        "configuration, or name the socket: FastCgi:Endpoints:NAME:Url={Example}",
        EventName = nameof(LogEvents.SocketNotTaken))]
    private static partial void LogNotTaken(ILogger logger, string sockets, string example);

    [LoggerMessage(LogEvents.AddressUnavailable, LogLevel.Information,
        "Not listening on {Address}, which this machine does not have: {Reason}",
        EventName = nameof(LogEvents.AddressUnavailable))]
    private static partial void LogUnavailable(ILogger logger, string address, string reason);

    [LoggerMessage(LogEvents.TemporaryFolderUnusable, LogLevel.Warning,
        "Request bodies cannot go to temporary files: {Reason} Slow uploads stop their connection instead, and fail " +
        "where other requests share it. Set TMPDIR or ASPNETCORE_TEMP to a folder that the process can write to.",
        EventName = nameof(LogEvents.TemporaryFolderUnusable))]
    private static partial void LogTemporaryFolderUnusable(ILogger logger, string reason);

    [LoggerMessage(LogEvents.UnknownConfigurationKey, LogLevel.Warning,
        "The configuration key {Key} is not known and has no effect. {Hint}",
        EventName = nameof(LogEvents.UnknownConfigurationKey))]
    private static partial void LogUnknownKey(ILogger logger, string key, string hint);
}
