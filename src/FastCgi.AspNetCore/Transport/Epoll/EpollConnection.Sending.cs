namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>A send that the socket had no room for: it waits for writability and goes on where it stopped.</summary>
internal sealed partial class EpollConnection
{
    private readonly Lock _sendLock = new();
    private ReadOnlyMemory<byte> _unsent;
    private bool _sendIsPending;

    /// <inheritdoc/>
    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        lock (_sendLock)
        {
            if (_sendIsPending)
            {
                throw new InvalidOperationException("A send is under way already.");
            }

            _unsent = data;
            _sendIsPending = true;
        }

        // Writability is reported at once if there is room by now.
        Rearm();
        if (IsClosed)
        {
            FailPendingSend();
        }
    }

    private void SendPending()
    {
        bool succeeded = true;
        lock (_sendLock)
        {
            if (!_sendIsPending)
            {
                return;
            }

            while (succeeded && !_unsent.IsEmpty)
            {
                switch (Send(_unsent.Span))
                {
                    case WouldBlock:
                        // The socket was filled, so there will be another event.
                        return;
                    case Reset:
                        succeeded = false;
                        break;
                    case var sent:
                        _unsent = _unsent[sent..];
                        break;
                }
            }

            _unsent = default;
            _sendIsPending = false;
            Rearm();
        }

        ReportSendCompleted(succeeded);
    }

    /// <summary>The connection was closed. Reported on the pool: the closer may hold locks of the handler.</summary>
    private void FailPendingSend()
    {
        lock (_sendLock)
        {
            if (!_sendIsPending)
            {
                return;
            }

            _unsent = default;
            _sendIsPending = false;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static connection => connection.ReportSendCompleted(false), this, preferLocal: false);
    }
}
