using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Operations.Systemd;
using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.AspNetCore.Hosting;

// Reads the configuration anew at SIGHUP, as "systemctl reload" sends it: endpoints and limits of the server, and
// whatever else follows the configuration, as log levels do. If that fails, endpoints and limits stay as they were.
internal sealed partial class FastCgiServer
{
    // One reload at a time. The stop never takes it: code of the application runs under it, and may not return.
    private readonly Lock _reading = new();

    // Taken after _reading, while a reload changes or reports something. The stop waits for that.
    private readonly Lock _reloading = new();
    // For a bind, which may run code of the application too.
    private readonly CancellationTokenSource _stopBinding = new();
    private PosixSignalRegistration? _hangUp;
    private volatile bool _reloadsHaveEnded;

    /// <summary>An accept callback may run code of the application: the reload waits for it no longer.</summary>
    private static readonly TimeSpan s_reloadTime = TimeSpan.FromSeconds(1);

    /// <summary>A reload reads the configuration at most this many times: a source may change at each.</summary>
    private const int MaxReads = 4;

    private void StartReloads(
        ServerContext server, ServiceLink service, EndpointBinder binder, IServerAddressesFeature asked) =>
        _hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            // The default would end the process.
            context.Cancel = true;

            // Not on the thread of the signal: files are read, and code of the application runs.
            ThreadPool.UnsafeQueueUserWorkItem(_ => Reload(server, service, binder, asked), null);
        });

    /// <summary>
    /// Waits until a reload that changes something has done so; one that still reads or binds changes nothing. A SIGHUP
    /// does nothing from here on: until the last request has ended it must not end the process.
    /// </summary>
    private void EndReloads()
    {
        _reloadsHaveEnded = true;
        if (!_reloading.TryEnter())
        {
            // A step is under way, which may wait for a bind.
            TokenCancellation.Queue(_stopBinding, _log);
            _reloading.Enter();
        }

        _reloading.Exit();
    }

    private void Reload(
        ServerContext server, ServiceLink service, EndpointBinder binder, IServerAddressesFeature asked)
    {
        lock (_reading)
        {
            if (!UnlessEnded(service.Reloading))
            {
                return;
            }

            try
            {
                (FastCgiServerLimits limits, IReadOnlyList<FastCgiListenOptions> endpoints) = Read(asked);
                UnlessEnded(() =>
                {
                    ReloadEndpoints(endpoints, binder);
                    server.Limits = limits;
                    LogReloaded(_log);
                    service.Reloaded();
                });
            }
            catch (Exception exception)
            {
                // After the stop a read may fail because its services are gone, which is no error.
                UnlessEnded(() =>
                {
                    LogReloadFailed(_log, exception);
                    service.Reloaded();
                });
            }
        }
    }

    /// <summary>Takes a step of a reload; false: the reloads have ended.</summary>
    private bool UnlessEnded(Action step)
    {
        lock (_reloading)
        {
            if (!_reloadsHaveEnded)
            {
                step();
            }

            return !_reloadsHaveEnded;
        }
    }

    /// <summary>
    /// The limits and endpoints of a configuration that the next read finds unchanged. A host that watches its files
    /// reads them too, on another thread: what it read before the last change may replace what was read here.
    /// </summary>
    private (FastCgiServerLimits Limits, IReadOnlyList<FastCgiListenOptions> Endpoints) Read(
        IServerAddressesFeature asked)
    {
        var configuration = _services.GetService<IConfiguration>() as IConfigurationRoot;
        configuration?.Reload();
        for (int reads = 1; ; reads++)
        {
            FastCgiServerOptions options = _services
                .GetRequiredService<IOptionsFactory<FastCgiServerOptions>>().Create(Options.DefaultName);
            IReadOnlyList<FastCgiListenOptions> endpoints = ChooseAnew(options, asked);
            if (reads == MaxReads || !ReadAgain(configuration))
            {
                return (options.Limits, endpoints);
            }
        }
    }

    /// <summary>True: the configuration is no longer what it was before this read.</summary>
    private static bool ReadAgain(IConfigurationRoot? configuration)
    {
        List<KeyValuePair<string, string?>> before = [.. configuration?.AsEnumerable() ?? []];
        configuration?.Reload();
        return !before.SequenceEqual(configuration?.AsEnumerable() ?? []);
    }

    [LoggerMessage(LogEvents.Reloaded, LogLevel.Information,
        "The configuration is applied. Limits hold for requests that begin from now on.",
        EventName = nameof(LogEvents.Reloaded))]
    private static partial void LogReloaded(ILogger logger);

    [LoggerMessage(LogEvents.ReloadFailed, LogLevel.Error,
        "The configuration could not be applied: endpoints and limits stay as they were.",
        EventName = nameof(LogEvents.ReloadFailed))]
    private static partial void LogReloadFailed(ILogger logger, Exception exception);

    /// <summary>Listens on these, on all of them, or everything stays.</summary>
    /// <exception cref="IOException">An address is taken, or a mode or an owner cannot be set.</exception>
    /// <exception cref="InvalidOperationException">An endpoint is open to others by mistake.</exception>
    private void ReloadEndpoints(IReadOnlyList<FastCgiListenOptions> chosen, EndpointBinder binder)
    {
        List<BoundEndpoint> left = [.. _endpoints.Current];
        var kept = new List<(BoundEndpoint Endpoint, EndpointTerms Terms)>();
        var missing = new List<FastCgiListenOptions>();
        foreach (FastCgiListenOptions wanted in chosen)
        {
            if (left.Find(other => other.Serves(wanted)) is { } present)
            {
                left.Remove(present);
                kept.Add((present, binder.NewTerms(wanted, present.Listener)));
            }
            else
            {
                missing.Add(wanted);
            }
        }

        // Its connections would wait in it for ever.
        List<BoundEndpoint> passed = left.FindAll(static endpoint => endpoint.IsInherited);
        List<BoundEndpoint> added = binder.Bind(
            missing, [.. kept.Select(static pair => pair.Endpoint)], _stopBinding.Token);
        try
        {
            ChangeAccess(kept);
        }
        catch
        {
            binder.Release(added);
            throw;
        }

        // From here on nothing fails.
        kept.ForEach(pair => _endpoints.Change(pair.Endpoint, pair.Terms));
        Task ended = _endpoints.ChangeAsync([.. kept.Select(static pair => pair.Endpoint), .. passed], added);
        _addresses.Publish(_endpoints.Current.Select(static endpoint => endpoint.Address));
        TellOfChange(passed, added, left.Except(passed));
        _ = ended.Wait(s_reloadTime);
    }

    /// <summary>The settings that are not used were told of at the start.</summary>
    private IReadOnlyList<FastCgiListenOptions> ChooseAnew(
        FastCgiServerOptions options, IServerAddressesFeature asked) => Choose(
        new EndpointSelection(
            options,
            _launch,
            new StartNotices(NullLogger.Instance),
            [.. _statusEndpoints.Current.Select(static endpoint => endpoint.Terms.Options)]),
        asked);

    private static void ChangeAccess(List<(BoundEndpoint Endpoint, EndpointTerms Terms)> kept)
    {
        var undo = new Stack<Action>();
        try
        {
            foreach ((BoundEndpoint endpoint, EndpointTerms terms) in kept)
            {
                if (!terms.HasAccessOf(endpoint.Terms))
                {
                    undo.Push(EndpointBinder.ChangeAccess(endpoint.Listener, terms.Options));
                }
            }
        }
        catch
        {
            foreach (Action step in undo)
            {
                step();
            }

            throw;
        }
    }

    private void TellOfChange(List<BoundEndpoint> passed, List<BoundEndpoint> added, IEnumerable<BoundEndpoint> removed)
    {
        string addedText = Describe(added);
        string removedText = Describe(removed);
        if (addedText.Length + removedText.Length > 0)
        {
            LogEndpointsChanged(_log, Describe(_endpoints.Current), addedText, removedText);
        }

        if (passed.Count > 0)
        {
            LogInheritedEndpointKept(_log, Describe(passed));
        }
    }

    private static string Describe(IEnumerable<BoundEndpoint> endpoints) =>
        string.Join(", ", endpoints.Select(static endpoint => endpoint.Address));

    [LoggerMessage(LogEvents.EndpointsChanged, LogLevel.Information,
        "The server listens on {Addresses}. Added: {Added}. Removed: {Removed}.",
        EventName = nameof(LogEvents.EndpointsChanged))]
    private static partial void LogEndpointsChanged(ILogger logger, string addresses, string added, string removed);

    [LoggerMessage(LogEvents.InheritedEndpointKept, LogLevel.Warning,
        "The configuration does not name {Addresses}, but the process has inherited these sockets: the server " +
        "listens on them until it restarts. If systemd passed them, disable the .socket unit.",
        EventName = nameof(LogEvents.InheritedEndpointKept))]
    private static partial void LogInheritedEndpointKept(ILogger logger, string addresses);
}
