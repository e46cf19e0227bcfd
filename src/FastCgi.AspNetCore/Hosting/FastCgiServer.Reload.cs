using System.Runtime.InteropServices;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Operations.Systemd;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting;

// Reads the configuration anew at SIGHUP, as "systemctl reload" sends it: endpoints and limits of the server, and
// whatever else follows the configuration, as log levels do. If that fails, endpoints and limits stay as they were.
internal sealed partial class FastCgiServer
{
    private readonly Lock _reloading = new();
    private PosixSignalRegistration? _hangUp;
    private bool _reloadsHaveEnded;

    private void StartReloads(
        ServerContext server, ServiceLink service, Action<FastCgiServerOptions> reloadEndpoints) =>
        _hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            // The default would end the process.
            context.Cancel = true;

            // Not on the thread of the signal: files are read, and code of the application runs.
            ThreadPool.UnsafeQueueUserWorkItem(_ => Reload(server, service, reloadEndpoints), null);
        });

    /// <summary>
    /// Waits for a reload that is under way; no other begins. A SIGHUP does nothing from here on: until the last
    /// request has ended it must not end the process.
    /// </summary>
    private void EndReloads()
    {
        lock (_reloading)
        {
            _reloadsHaveEnded = true;
        }
    }

    private void Reload(ServerContext server, ServiceLink service, Action<FastCgiServerOptions> reloadEndpoints)
    {
        lock (_reloading)
        {
            if (_reloadsHaveEnded)
            {
                return;
            }

            service.Reloading();
            try
            {
                (_services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
                FastCgiServerOptions options = _services
                    .GetRequiredService<IOptionsFactory<FastCgiServerOptions>>().Create(Options.DefaultName);
                reloadEndpoints(options);
                server.Limits = options.Limits;
                LogReloaded(_log);
            }
            catch (Exception exception)
            {
                LogReloadFailed(_log, exception);
            }
            finally
            {
                service.Reloaded();
            }
        }
    }

    [LoggerMessage(LogEvents.Reloaded, LogLevel.Information,
        "The configuration is applied. Limits hold for requests that begin from now on.",
        EventName = nameof(LogEvents.Reloaded))]
    private static partial void LogReloaded(ILogger logger);

    [LoggerMessage(LogEvents.ReloadFailed, LogLevel.Error,
        "The configuration could not be applied: endpoints and limits stay as they were.",
        EventName = nameof(LogEvents.ReloadFailed))]
    private static partial void LogReloadFailed(ILogger logger, Exception exception);
}
