namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>How the connection ends, by the peer or by us.</summary>
internal sealed partial class EpollConnection
{
    private volatile bool _peerGone;
    private volatile bool _readsToEnd;

    /// <inheritdoc/>
    public override bool IsPeerGone() => _peerGone || IsClosed;

    /// <inheritdoc/>
    public override void Close()
    {
        if (!TryBeginClose())
        {
            return;
        }

        // Leaving the set is implied. An event that another thread has fetched already finds the token gone.
        _socket.Dispose();
        _transport.Targets.Remove(this);
        FailPendingSend();
    }

    /// <inheritdoc/>
    public override void ShutdownSend()
    {
        try
        {
            _socket.ShutdownSend();
        }
        catch (ObjectDisposedException)
        {
            // Closed: there is no direction left to end.
        }
    }

    /// <inheritdoc/>
    public override void ReadToEnd() => _readsToEnd = true;

    /// <inheritdoc/>
    public override void ResetOnClose()
    {
        if (IsUnix)
        {
            return;
        }

        try
        {
            _socket.ResetOnClose();
        }
        catch (ObjectDisposedException)
        {
            // Closed: it is over already.
        }
    }
}
