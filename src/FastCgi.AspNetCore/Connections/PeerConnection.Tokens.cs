using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The two tokens of a connection, made when an application first asks for one.</summary>
internal abstract partial class PeerConnection
{
    private CancellationTokenSource? _closedSource;
    private CancellationTokenSource? _closeRequestedSource;

    public CancellationToken Closed => Token(ref _closedSource, _closed);

    public CancellationToken CloseRequested => Token(ref _closeRequestedSource, IsClosing || _stopping);

    /// <summary>Takes no further request; ends now when none runs, else after the last one.</summary>
    public void RequestClose()
    {
        lock (_gate)
        {
            IsClosing = true;
            Cancel(_closeRequestedSource);
            CloseIfIdle();
        }
    }

    private CancellationToken Token(ref CancellationTokenSource? source, bool cancelled)
    {
        lock (_gate)
        {
            if (source is null)
            {
                source = new CancellationTokenSource();
                if (cancelled)
                {
                    Cancel(source);
                }
            }

            return source.Token;
        }
    }

    private void CancelTokens()
    {
        lock (_gate)
        {
            Cancel(_closeRequestedSource);
            Cancel(_closedSource);
        }
    }

    private void Cancel(CancellationTokenSource? source)
    {
        if (source is not null)
        {
            TokenCancellation.Queue(source, Log);
        }
    }
}
