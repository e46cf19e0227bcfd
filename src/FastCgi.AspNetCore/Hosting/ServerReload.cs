using System.Runtime.InteropServices;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Hosting.Systemd;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Reads the configuration anew at SIGHUP, as <c>systemctl reload</c> sends it: limits of the server, and whatever else
/// follows the configuration, as log levels do. If that fails, everything stays as it was.
/// </summary>
internal sealed partial class ServerReload : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ServerContext _server;
    private readonly ServiceLink _service;
    private readonly IServiceProvider _services;
    private readonly ILogger _logger;
    private readonly string _endpoints;
    private readonly PosixSignalRegistration _signal;

    public ServerReload(ServerContext server, ServiceLink service, IServiceProvider services, ILogger logger)
    {
        (_server, _service, _services, _logger) = (server, service, services, logger);
        _endpoints = Describe(server.Options);
        _signal = PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnSignal);
    }

    public void Dispose() => _signal.Dispose();

    /// <summary>Not on the thread of the signal: files are read, and code of the application runs.</summary>
    private void OnSignal(PosixSignalContext context)
    {
        // The default would end the process.
        context.Cancel = true;
        ThreadPool.UnsafeQueueUserWorkItem(static self => self.Reload(), this, preferLocal: false);
    }

    private void Reload()
    {
        lock (_lock)
        {
            _service.Notifier.Reloading();
            try
            {
                Apply();
            }
            catch (Exception exception)
            {
                LogFailed(_logger, exception);
            }
            finally
            {
                _service.Notifier.Ready();
            }
        }
    }

    private void Apply()
    {
        (_services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        FastCgiServerOptions options =
            _services.GetRequiredService<IOptionsFactory<FastCgiServerOptions>>().Create(Options.DefaultName);
        string endpoints = Describe(options);
        _server.Limits = options.Limits;
        LogReloaded(_logger);
        if (endpoints != _endpoints)
        {
            LogNeedsRestart(_logger, endpoints, _endpoints);
        }
    }

    private static string Describe(FastCgiServerOptions options) => string.Join(", ", options.GetEndpoints());

    [LoggerMessage(LogEvents.Reloaded, LogLevel.Information,
        "The configuration was read anew. The limits hold for requests that begin from now on.",
        EventName = nameof(LogEvents.Reloaded))]
    private static partial void LogReloaded(ILogger logger);

    [LoggerMessage(LogEvents.ReloadFailed, LogLevel.Error,
        "The configuration could not be read anew: everything stays as it was.",
        EventName = nameof(LogEvents.ReloadFailed))]
    private static partial void LogFailed(ILogger logger, Exception exception);

    [LoggerMessage(LogEvents.ReloadNeedsRestart, LogLevel.Warning,
        "The configuration names the endpoints {Wanted}, but the server listens on {Present} until it is restarted.",
        EventName = nameof(LogEvents.ReloadNeedsRestart))]
    private static partial void LogNeedsRestart(ILogger logger, string wanted, string present);
}
