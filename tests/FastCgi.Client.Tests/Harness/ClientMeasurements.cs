using System.Diagnostics.Metrics;

namespace FastCgi.Client.Tests.Harness;

/// <summary>What clients have measured since then.</summary>
internal sealed class ClientMeasurements : IDisposable
{
    private readonly List<(string Name, double Value, Dictionary<string, object?> Tags)> _all = [];
    private readonly MeterListener _listener = new();

    /// <param name="factory">Of the clients' meters.</param>
    /// <param name="onlyOf">The instrument; null for all.</param>
    public ClientMeasurements(IMeterFactory factory, string? onlyOf = null)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Scope == factory && instrument.Meter.Name == "System.Net.Http" &&
                (onlyOf ?? instrument.Name) == instrument.Name)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>(
            (instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        _listener.SetMeasurementEventCallback<long>(
            (instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        _listener.Start();
    }

    public IReadOnlyList<(string Name, double Value, Dictionary<string, object?> Tags)> All
    {
        get
        {
            lock (_all)
            {
                return [.. _all];
            }
        }
    }

    public IEnumerable<(string Name, double Value, Dictionary<string, object?> Tags)> Of(string instrument) =>
        All.Where(measured => measured.Name == instrument);

    public void Dispose() => _listener.Dispose();

    private void Keep(string name, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_all)
        {
            _all.Add((name, value, new(tags.ToArray())));
        }
    }
}
