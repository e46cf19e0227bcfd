namespace CounterSample.Live;

/// <summary>The last readings, and a call for each new one.</summary>
public sealed class Feed
{
    /// <summary>A minute of them.</summary>
    public const int Kept = 60;

    private readonly Lock _lock = new();
    private readonly Queue<Reading> _readings = new(Kept);

    /// <summary>Called on the thread that reads; who listens hands over to its own, and must not throw.</summary>
    public event Action? Added;

    /// <summary>The oldest first.</summary>
    public IReadOnlyList<Reading> Readings
    {
        get
        {
            lock (_lock)
            {
                return [.. _readings];
            }
        }
    }

    public void Add(Reading reading)
    {
        lock (_lock)
        {
            if (_readings.Count == Kept)
            {
                _readings.Dequeue();
            }

            _readings.Enqueue(reading);
        }

        Added?.Invoke();
    }
}
