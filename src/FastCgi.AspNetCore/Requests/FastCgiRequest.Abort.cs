using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Aborted: the peer ended the request, the socket was lost, or the application gave up. From then on reads fail,
/// writes are silent, and RequestAborted fires on the thread pool, never on the thread that noticed.
/// </summary>
internal sealed partial class FastCgiRequest
{
    private readonly Lock _abortLock = new();
    private CancellationTokenSource? _abortSource;
    private bool _aborted;
    private bool _abortDisarmed;

    public bool IsAborted => Volatile.Read(ref _aborted);

    public CancellationToken RequestAborted
    {
        get
        {
            lock (_abortLock)
            {
                if (_abortSource is null)
                {
                    _abortSource = new CancellationTokenSource();
                    if (_aborted)
                    {
                        TokenCancellation.Queue(_abortSource, Log);
                    }
                }

                return _abortSource.Token;
            }
        }
    }

    /// <summary>
    /// The peer has no more interest. Called under the connection's gate, so that the body has one writer at a time.
    /// </summary>
    public void OnPeerAborted(Exception reason)
    {
        // First of all: whoever meets the failure of the body by the next lines has to see that it is no error.
        MarkAborted();
        if (IsUpgraded)
        {
            // What came before is the application's to read.
            Body.End();
        }
        else
        {
            Body.Fail(reason);
        }

        _output.Detach();
    }

    /// <summary>HttpContext.Abort(): the client is to see that the answer broke off.</summary>
    public void Abort()
    {
        if (IsAborted || _wireEnded)
        {
            return;
        }

        LogApplicationAborted(Log, ConnectionId, Features.TraceIdentifier);
        if (_started)
        {
            _output.Break();
        }

        MarkAborted();
        Slot.Tear();
    }

    /// <summary>The exception that a body read meets after <see cref="Abort"/>.</summary>
    public static Exception AbortedByApplication() =>
        new TaskCanceledException("The request was aborted by the application.");

    /// <summary>The exception that a body read meets when the peer has gone.</summary>
    public static Exception ConnectionLost() =>
        new ConnectionResetException("The web server closed the connection: its client has gone.");

    private void MarkAborted()
    {
        lock (_abortLock)
        {
            if (_aborted)
            {
                return;
            }

            _aborted = true;
            if (_abortSource is not null && !_abortDisarmed)
            {
                TokenCancellation.Queue(_abortSource, Log);
            }
        }
    }

    /// <summary>The last byte is out: a peer that goes now has got all there was.</summary>
    private void DisarmAbort()
    {
        lock (_abortLock)
        {
            _abortDisarmed = true;
        }
    }

    private void ResetAbort()
    {
        lock (_abortLock)
        {
            // A source that was cancelled, or that somebody may still wait for, is left to its holders.
            if (_aborted || (_abortSource is not null && !_abortSource.TryReset()))
            {
                _abortSource = null;
            }

            _aborted = _abortDisarmed = false;
        }
    }
}
