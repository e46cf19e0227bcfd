namespace FastCgi.AspNetCore.Server;

/// <summary>One tick a second for everything that waits: no request and no connection has a timer of its own.</summary>
internal sealed class Heartbeat : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Action _tick;
    private readonly ITimer _timer;
    private int _ticking;

    public Heartbeat(TimeProvider timeProvider, Action tick)
    {
        _tick = tick;
        _timer = timeProvider.CreateTimer(static state => ((Heartbeat)state!).OnTimer(), this, Interval, Interval);
    }

    public void Dispose() => _timer.Dispose();

    private void OnTimer()
    {
        // A tick that takes longer than a second is not overtaken by the next.
        if (Interlocked.Exchange(ref _ticking, 1) == 0)
        {
            try
            {
                _tick();
            }
            finally
            {
                Volatile.Write(ref _ticking, 0);
            }
        }
    }
}
