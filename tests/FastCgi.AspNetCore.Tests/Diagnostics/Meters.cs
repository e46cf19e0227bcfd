using System.Diagnostics.Metrics;

namespace FastCgi.AspNetCore.Tests.Diagnostics;

/// <summary>The meters of one server, and what they measured as text.</summary>
internal sealed class Meters : IMeterFactory
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<string> _measured = [];
    private readonly Action<string>? _onMeasured;
    private Meter? _meter;

    /// <param name="onMeasured">Runs inside each measurement.</param>
    /// <param name="isListening">False: not before <see cref="Listen"/>.</param>
    public Meters(Action<string>? onMeasured = null, bool isListening = true)
    {
        _onMeasured = onMeasured;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == _meter)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>(Add);
        _listener.SetMeasurementEventCallback<int>(Add);
        _listener.SetMeasurementEventCallback<double>(Add);
        if (isListening)
        {
            Listen();
        }
    }

    public IReadOnlyCollection<string> Measured => _measured;

    public ServerMetrics NewMetrics() => new(this, static () => 2);

    public void Listen() => _listener.Start();

    public void Observe() => _listener.RecordObservableInstruments();

    public Meter Create(MeterOptions options) => _meter = new Meter(options);

    public void Dispose()
    {
        _listener.Dispose();
        _meter?.Dispose();
    }

    private void Add<T>(
        Instrument instrument, T value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        var measured = string.Join(' ', (string[])
        [
            FormattableString.Invariant($"{instrument.Name} {value}"),
            .. tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}").Order(),
        ]);
        _measured.Enqueue(measured);
        _onMeasured?.Invoke(measured);
    }
}
