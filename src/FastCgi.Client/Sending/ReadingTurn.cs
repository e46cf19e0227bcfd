namespace FastCgi.Client.Sending;

/// <summary>
/// Keeps a response from being disposed under a read. Its buffer is free only when neither is under way.
/// </summary>
internal sealed class ReadingTurn
{
    private const int Free = 0;
    private const int Reading = 1;
    private const int Closed = 2;

    private int _state;

    /// <exception cref="ObjectDisposedException">The response was disposed.</exception>
    /// <exception cref="InvalidOperationException">Another read is under way.</exception>
    public void Enter()
    {
        int before = Interlocked.CompareExchange(ref _state, Reading, Free);
        if (before != Free)
        {
            ObjectDisposedException.ThrowIf(before == Closed, typeof(HttpContent));
            throw new InvalidOperationException("Another read of this response is under way.");
        }
    }

    /// <summary>False: the response was disposed meanwhile, and who leaves has to clear up.</summary>
    public bool TryLeave() => Interlocked.CompareExchange(ref _state, Free, Reading) == Reading;

    /// <summary>True: no read is under way, so who closes has to clear up. Also true the second time.</summary>
    public bool TryClose() => Interlocked.Exchange(ref _state, Closed) != Reading;
}
