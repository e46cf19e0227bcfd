using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Operations.Systemd;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.AspNetCore.Hosting;

// Reads the configuration again at SIGHUP, which "systemctl reload" sends: endpoints and limits of the server, and
// anything else that follows the configuration, such as log levels. If that fails, endpoints and limits stay unchanged.
internal sealed partial class FastCgiServer
{
    // One reload at a time. The stop never takes this lock: application code runs under it, and may not return.
    private readonly Lock _reading = new();

    // Taken after _reading, while a reload changes or reports something. The stop waits for it.
    private readonly Lock _reloading = new();
    // Ends a bind, which may run application code too.
    private readonly CancellationTokenSource _stopBinding = new();
    private PosixSignalRegistration? _hangUp;
    private volatile bool _reloadsHaveEnded;

    /// <summary>Limit for the reload to wait for accept callbacks, which may run application code.</summary>
    private static readonly TimeSpan s_reloadTime = TimeSpan.FromSeconds(1);

    /// <summary>Limit of the reads per reload, because a source may change at each read.</summary>
    private const int MaxReads = 4;

    private void StartReloads(ServerContext server, ServiceLink service) =>
        _hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            // The default action would end the process.
            context.Cancel = true;

            // Not on the thread of the signal, because this reads files and runs application code.
            ThreadPool.UnsafeQueueUserWorkItem(_ => Reload(server, service), null);
        });

    /// <summary>
    /// Waits for a reload that is changing something; a reload that still reads or binds will change nothing. From now
    /// on a SIGHUP has no effect: it must not end the process before the last request has ended.
    /// </summary>
    private void EndReloads()
    {
        _reloadsHaveEnded = true;
        if (!_reloading.TryEnter())
        {
            // A step is running, which may wait for a bind.
            EndingThreads.Cancel(_stopBinding, _log);
            _reloading.Enter();
        }

        _reloading.Exit();
    }

    private void Reload(ServerContext server, ServiceLink service)
    {
        lock (_reading)
        {
            if (!UnlessEnded(service.Reloading))
            {
                return;
            }

            try
            {
                (FastCgiServerLimits limits, IReadOnlyList<FastCgiListenOptions> endpoints) = Read();
                UnlessEnded(() =>
                {
                    ReloadEndpoints(endpoints);
                    server.Limits = limits;
                    _notices.Reloaded();
                    service.Reloaded();
                });
            }
            catch (Exception exception)
            {
                // After the stop a read may fail because its services are gone. That is no error.
                UnlessEnded(() =>
                {
                    _notices.ReloadFailed(exception);
                    service.Reloaded();
                });
            }
        }
    }

    /// <summary>Runs a step of a reload. False if reloads have ended.</summary>
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
    /// Reads the limits and endpoints until the configuration no longer changes. A host that watches its files also
    /// reads them, on another thread. Its older read may replace the values that were read here.
    /// </summary>
    private (FastCgiServerLimits Limits, IReadOnlyList<FastCgiListenOptions> Endpoints) Read()
    {
        var configuration = _services.GetService<IConfiguration>() as IConfigurationRoot;
        configuration?.Reload();
        for (int reads = 1; ; reads++)
        {
            FastCgiServerOptions options = _services
                .GetRequiredService<IOptionsFactory<FastCgiServerOptions>>().Create(Options.DefaultName);
            IReadOnlyList<FastCgiListenOptions> endpoints = ChooseAnew(options);
            if (reads == MaxReads || !ReadAgain(configuration))
            {
                return (options.Limits, endpoints);
            }
        }
    }

    /// <summary>Reads the configuration again. True if it has changed.</summary>
    private static bool ReadAgain(IConfigurationRoot? configuration)
    {
        List<KeyValuePair<string, string?>> before = [.. configuration?.AsEnumerable() ?? []];
        configuration?.Reload();
        return !before.SequenceEqual(configuration?.AsEnumerable() ?? []);
    }

    /// <summary>Listens on all of these endpoints, or changes nothing.</summary>
    /// <exception cref="IOException">An address is taken, or a mode or an owner cannot be set.</exception>
    /// <exception cref="InvalidOperationException">An endpoint is open to others by mistake.</exception>
    private void ReloadEndpoints(IReadOnlyList<FastCgiListenOptions> chosen)
    {
        List<BoundEndpoint> left = [.. _endpoints.Current];
        var kept = new List<(BoundEndpoint Endpoint, EndpointTerms Terms)>();
        var missing = new List<FastCgiListenOptions>();
        foreach (FastCgiListenOptions wanted in chosen)
        {
            if (left.Find(other => other.Serves(wanted)) is { } present)
            {
                left.Remove(present);
                kept.Add((present, _binder.NewTerms(wanted, present.Listener)));
            }
            else
            {
                missing.Add(wanted);
            }
        }

        // A passed socket that is no longer wanted stays open: otherwise its connections would wait in it forever.
        List<BoundEndpoint> passed = left.FindAll(static endpoint => endpoint.Listener.IsInherited);
        List<BoundEndpoint> added = _binder.Bind(
            missing, [.. kept.Select(static pair => pair.Endpoint)], _stopBinding.Token);
        try
        {
            ChangeAccess(kept);
        }
        catch
        {
            _binder.Release(added);
            throw;
        }

        // Nothing fails from here on.
        kept.ForEach(pair => _endpoints.Change(pair.Endpoint, pair.Terms));
        Task ended = _endpoints.ChangeAsync([.. kept.Select(static pair => pair.Endpoint), .. passed], added);
        _addresses.Publish(_endpoints.Current.Select(static endpoint => endpoint.Address));
        TellOfChange(passed, added, left.Except(passed));
        _ = ended.Wait(s_reloadTime);
    }

    /// <summary>Selects the endpoints again, without notices: unused settings were logged at the start.</summary>
    private IReadOnlyList<FastCgiListenOptions> ChooseAnew(FastCgiServerOptions options) => Choose(
        new EndpointSelection(
            options,
            _launch,
            new ServerNotices(NullLogger.Instance),
            [.. _statusEndpoints.Current.Select(static endpoint => endpoint.Terms.Options)]));

    private static void ChangeAccess(List<(BoundEndpoint Endpoint, EndpointTerms Terms)> kept)
    {
        var undo = new Stack<Action>();
        try
        {
            foreach ((BoundEndpoint endpoint, EndpointTerms terms) in kept)
            {
                if (terms.Options.Access != endpoint.Terms.Options.Access)
                {
                    undo.Push(endpoint.Listener.ChangeAccess(terms.Options.Access));
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
            _notices.EndpointsChanged(Describe(_endpoints.Current), addedText, removedText);
        }

        if (passed.Count > 0)
        {
            _notices.InheritedEndpointKept(Describe(passed));
        }
    }

    private static string Describe(IEnumerable<BoundEndpoint> endpoints) =>
        string.Join(", ", endpoints.Select(static endpoint => endpoint.Address));
}
