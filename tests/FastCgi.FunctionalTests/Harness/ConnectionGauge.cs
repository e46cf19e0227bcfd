using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Harness;

/// <summary>The server's own count of its open connections.</summary>
public sealed class ConnectionGauge : IDisposable
{
    private readonly MeterListener _listener;
    private long _active;

    public ConnectionGauge(FunctionalServer server)
    {
        var factory = server.Services.GetRequiredService<IMeterFactory>();
        _listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Name == "fastcgi.active_connections" && ReferenceEquals(instrument.Meter.Scope, factory))
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        _listener.SetMeasurementEventCallback<long>((_, value, _, _) => Interlocked.Add(ref _active, value));
        _listener.Start();
    }

    public long Active => Interlocked.Read(ref _active);

    public Task DropsToZeroAsync() => DropsToAsync(0);

    public Task DropsToAsync(long count) =>
        Eventually.HoldsAsync(() => Active == count, () => $"{Active} connections are open, not {count}");

    public void Dispose() => _listener.Dispose();
}
