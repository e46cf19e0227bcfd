using System.Runtime.InteropServices;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Hosting.Systemd;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Reads the configuration anew at SIGHUP, as <c>systemctl reload</c> sends it: endpoints and limits of the server, and
/// whatever else follows the configuration, as log levels do. If that fails, endpoints and limits stay as they were.
/// </summary>
internal sealed partial class ServerReload : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ServerContext _server;
    private readonly ServiceLink _service;
    private readonly IServiceProvider _services;
    private readonly ILogger _logger;
    private readonly EndpointReload _endpoints;
    private readonly PosixSignalRegistration _signal;
    private bool _hasEnded;

    public ServerReload(
        ServerContext server,
        ServiceLink service,
        EndpointReload endpoints,
        IServiceProvider services,
        ILogger logger)
    {
        (_server, _service, _endpoints, _services, _logger) = (server, service, endpoints, services, logger);
        _signal = PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnSignal);
    }

    /// <summary>
    /// Waits for a reload that is under way; no other begins. A SIGHUP does nothing from here on: until the last
    /// request has ended it must not end the process.
    /// </summary>
    public void End()
    {
        lock (_lock)
        {
            _hasEnded = true;
        }
    }

    public void Dispose()
    {
        End();
        _signal.Dispose();
    }

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
            if (_hasEnded)
            {
                return;
            }

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
        _endpoints.Apply(options);
        _server.Limits = options.Limits;
        LogReloaded(_logger);
    }

    [LoggerMessage(LogEvents.Reloaded, LogLevel.Information,
        "The configuration is applied. Limits hold for requests that begin from now on.",
        EventName = nameof(LogEvents.Reloaded))]
    private static partial void LogReloaded(ILogger logger);

    [LoggerMessage(LogEvents.ReloadFailed, LogLevel.Error,
        "The configuration could not be applied: endpoints and limits stay as they were.",
        EventName = nameof(LogEvents.ReloadFailed))]
    private static partial void LogFailed(ILogger logger, Exception exception);
}
