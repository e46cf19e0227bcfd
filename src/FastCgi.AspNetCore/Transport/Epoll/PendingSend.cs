namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// The bytes that a full socket has not taken yet. Two threads may be told at once that it is writable: one sends, the
/// other leaves a mark, so that the news is not lost when the first finds the socket full again.
/// </summary>
internal sealed class PendingSend(EpollConnection connection)
{
    private const int None = 0;
    private const int Waiting = 1;
    private const int Sending = 2;
    private const int SendingAgain = 3;

    private ReadOnlyMemory<byte> _unsent;
    private int _state;

    public void Begin(ReadOnlyMemory<byte> data)
    {
        _unsent = data;
        Volatile.Write(ref _state, Waiting);
    }

    public void OnWritable()
    {
        if (Interlocked.CompareExchange(ref _state, Sending, Waiting) == Waiting)
        {
            Send();
        }
        else
        {
            Interlocked.CompareExchange(ref _state, SendingAgain, Sending);
        }
    }

    /// <summary>Whoever waited hears that it failed; a thread that is sending finds it out by itself.</summary>
    public void OnClosed()
    {
        if (Interlocked.CompareExchange(ref _state, None, Waiting) == Waiting)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection => connection.OnSendCompleted(succeeded: false), connection, preferLocal: false);
        }
    }

    private void Send()
    {
        while (true)
        {
            int sent = connection.Send(_unsent.Span);
            if (sent == TransportConnection.Reset)
            {
                Complete(succeeded: false);
                return;
            }

            if (sent > 0)
            {
                _unsent = _unsent[sent..];
                if (_unsent.IsEmpty)
                {
                    Complete(succeeded: true);
                    return;
                }
            }
            else if (Interlocked.CompareExchange(ref _state, Waiting, Sending) == Sending)
            {
                return;
            }
            else
            {
                Volatile.Write(ref _state, Sending);
            }
        }
    }

    private void Complete(bool succeeded)
    {
        _unsent = default;
        Volatile.Write(ref _state, None);
        connection.OnSendCompleted(succeeded);
    }
}
