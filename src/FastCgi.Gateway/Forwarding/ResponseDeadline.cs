namespace FastCgi.Gateway.Forwarding;

/// <summary>
/// Cancels a request to the application if its client has left or it waits too long for a connection. Also if no
/// response head comes in time.
/// </summary>
internal sealed class ResponseDeadline : IDisposable
{
    private readonly Lock _gate = new();
    private readonly TimeSpan _timeout;
    private readonly CancellationTokenSource? _source;
    private readonly CancellationTokenRegistration _registration;
    private readonly CancellationToken _aborted;
    private bool _isOver;

    public ResponseDeadline(TimeSpan timeout, TimeProvider clock, CancellationToken aborted)
    {
        _timeout = TimerLimit.From(timeout);
        _aborted = aborted;
        if (_timeout != Timeout.InfiniteTimeSpan)
        {
            _source = new CancellationTokenSource(_timeout, clock);
            _registration = aborted.UnsafeRegister(
                static source => ((CancellationTokenSource)source!).Cancel(), _source);
        }
    }

    public CancellationToken Token => _source?.Token ?? _aborted;

    /// <summary>True if the time has passed and the client is still there.</summary>
    public bool HasPassed => _source is { IsCancellationRequested: true } && !_aborted.IsCancellationRequested;

    /// <summary>True if the request has had a connection.</summary>
    public bool HasConnection { get; private set; }

    /// <summary>Called before a piece of the request is sent on its connection.</summary>
    public void OnSending()
    {
        HasConnection = true;
        Restart();
    }

    /// <summary>Called when a piece of the request body has come from the client.</summary>
    public void Restart()
    {
        lock (_gate)
        {
            if (!_isOver)
            {
                _source?.CancelAfter(_timeout);
            }
        }
    }

    /// <summary>Called when the head has come. From now on only the client ends the request.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isOver = true;
            _source?.CancelAfter(Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isOver = true;
            _registration.Dispose();
            _source?.Dispose();
        }
    }
}
