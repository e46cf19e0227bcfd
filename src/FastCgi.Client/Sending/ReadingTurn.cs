namespace FastCgi.Client.Sending;

/// <summary>
/// Keeps a response from being disposed under a read. Its buffer is free only when neither is under way.
/// </summary>
internal sealed class ReadingTurn
{
    private ReadingState _state;

    /// <summary>False: the response is over, so there is nothing to read.</summary>
    /// <exception cref="ObjectDisposedException">The response was disposed.</exception>
    /// <exception cref="InvalidOperationException">Another read is under way.</exception>
    public bool TryEnter()
    {
        ReadingState before = Interlocked.CompareExchange(ref _state, ReadingState.Reading, ReadingState.Free);
        ObjectDisposedException.ThrowIf(before == ReadingState.Closed, typeof(HttpContent));
        return before != ReadingState.Reading
            ? before == ReadingState.Free
            : throw new InvalidOperationException("Another read of this response is under way.");
    }

    /// <summary>False: the response was disposed meanwhile, and who leaves has to clear up.</summary>
    public bool TryLeave() =>
        Interlocked.CompareExchange(ref _state, ReadingState.Free, ReadingState.Reading) != ReadingState.Closed;

    /// <summary>
    /// From now on a disposal leaves the connection alone, because another request may use it. False: the response was
    /// disposed before, and its connection is closed.
    /// </summary>
    public bool TryEnd()
    {
        ReadingState before = Interlocked.CompareExchange(ref _state, ReadingState.Over, ReadingState.Reading);
        return before == ReadingState.Reading
            || Interlocked.CompareExchange(ref _state, ReadingState.Over, ReadingState.Free) == ReadingState.Free;
    }

    /// <summary>The state before the disposal: only one that was free has to be cleared up.</summary>
    public ReadingState Close() => Interlocked.Exchange(ref _state, ReadingState.Closed);

    /// <summary>As <see cref="Close"/>, but a read that is under way goes on.</summary>
    public ReadingState CloseUnlessReading() =>
        Interlocked.CompareExchange(ref _state, ReadingState.Closed, ReadingState.Free);
}
