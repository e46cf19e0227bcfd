namespace FastCgi.Client.Sending;

/// <summary>Prevents the disposal of a response during a read. Its buffer is free only if neither is running.</summary>
internal sealed class ReadingTurn
{
    private ReadingState _state;

    /// <summary>False if the response has ended, so that there is nothing to read.</summary>
    /// <exception cref="ObjectDisposedException">The response was disposed.</exception>
    /// <exception cref="InvalidOperationException">Another read is running.</exception>
    public bool TryEnter()
    {
        ReadingState before = Interlocked.CompareExchange(ref _state, ReadingState.Reading, ReadingState.Free);
        ObjectDisposedException.ThrowIf(before == ReadingState.Closed, typeof(HttpContent));
        return before != ReadingState.Reading
            ? before == ReadingState.Free
            : throw new InvalidOperationException("Another read of this response is under way.");
    }

    /// <summary>False if the response was disposed in the meantime. Then the caller must clean up.</summary>
    public bool TryLeave() =>
        Interlocked.CompareExchange(ref _state, ReadingState.Free, ReadingState.Reading) != ReadingState.Closed;

    /// <summary>
    /// Makes a later disposal leave the connection alone, because another request may use it. False if the response was
    /// already disposed and its connection is closed.
    /// </summary>
    public bool TryEnd()
    {
        ReadingState before = Interlocked.CompareExchange(ref _state, ReadingState.Over, ReadingState.Reading);
        return before == ReadingState.Reading
            || Interlocked.CompareExchange(ref _state, ReadingState.Over, ReadingState.Free) == ReadingState.Free;
    }

    /// <summary>Returns the state before the disposal. Only the state Free requires a cleanup.</summary>
    public ReadingState Close() => Interlocked.Exchange(ref _state, ReadingState.Closed);

    /// <summary>As <see cref="Close"/>, but a running read continues.</summary>
    public ReadingState CloseUnlessReading() =>
        Interlocked.CompareExchange(ref _state, ReadingState.Closed, ReadingState.Free);
}
