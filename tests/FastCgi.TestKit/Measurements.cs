using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.TestKit;

/// <summary>What a server measures with one of its instruments.</summary>
public sealed class Measurements : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly TaskCompletionSource<IReadOnlyList<KeyValuePair<string, object?>>> _first =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private long _sum;

    public Measurements(FunctionalServer server, string instrument)
    {
        var factory = server.Services.GetRequiredService<IMeterFactory>();
        _listener.InstrumentPublished = (published, listener) =>
        {
            if (published.Name == instrument && ReferenceEquals(published.Meter.Scope, factory))
            {
                listener.EnableMeasurementEvents(published);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, value, _, _) => Interlocked.Add(ref _sum, value));
        _listener.SetMeasurementEventCallback<double>((_, _, tags, _) => _first.TrySetResult(tags.ToArray()));
        _listener.Start();
    }

    /// <summary>The connections that are open, for example.</summary>
    public long Sum => Interlocked.Read(ref _sum);

    public static Measurements OfActiveConnections(FunctionalServer server) =>
        new(server, "fastcgi.active_connections");

    public static Measurements OfConnectionDurations(FunctionalServer server) =>
        new(server, "fastcgi.connection.duration");

    /// <summary>The tags of the first measurement, taken already or to come.</summary>
    public Task<IReadOnlyList<KeyValuePair<string, object?>>> TagsAsync() =>
        _first.Task.Within("the first measurement");

    public Task DropsToAsync(long count) =>
        Eventually.HoldsAsync(() => Sum == count, () => $"The sum is {Sum}, not {count}.");

    public void Dispose() => _listener.Dispose();
}
