using System.Diagnostics.Metrics;

namespace FastCgi.SampleTests.Form;

/// <summary>How many requests ASP.NET Core's limiter lets through and holds back, as its own metrics say.</summary>
internal sealed class LimiterWatch : IDisposable
{
    private const string Meter = "Microsoft.AspNetCore.RateLimiting";
    private const string Leases = "aspnetcore.rate_limiting.active_request_leases";
    private const string Queued = "aspnetcore.rate_limiting.queued_requests";

    private readonly MeterListener _listener = new();
    private readonly Lock _lock = new();
    private readonly Dictionary<string, long> _counts = new() { [Leases] = 0, [Queued] = 0 };
    private readonly List<(string Name, long Count, TaskCompletionSource Reached)> _waiting = [];

    /// <param name="services">Of the application: others in this process have such meters too.</param>
    public LimiterWatch(IServiceProvider services)
    {
        var factory = services.GetRequiredService<IMeterFactory>();
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == Meter && instrument.Meter.Scope == factory
                && _counts.ContainsKey(instrument.Name))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, change, _, _) => Add(instrument.Name, change));
        _listener.Start();
    }

    /// <summary>Waits until so many are served at a time.</summary>
    public Task ServedAsync(long count) => ReachedAsync(Leases, count).Within($"{count} served");

    /// <summary>Waits until so many wait.</summary>
    public Task WaitingAsync(long count) => ReachedAsync(Queued, count).Within($"{count} waiting");

    public void Dispose() => _listener.Dispose();

    private Task ReachedAsync(string name, long count)
    {
        lock (_lock)
        {
            if (_counts[name] == count)
            {
                return Task.CompletedTask;
            }

            var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Add((name, count, reached));
            return reached.Task;
        }
    }

    private void Add(string name, long change)
    {
        lock (_lock)
        {
            _counts[name] += change;
            _waiting.RemoveAll(waiter =>
                waiter.Name == name && waiter.Count == _counts[name] && waiter.Reached.TrySetResult());
        }
    }
}
