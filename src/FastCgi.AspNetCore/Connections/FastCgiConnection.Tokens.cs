namespace FastCgi.AspNetCore.Connections;

/// <summary>The two tokens of a connection, made when an application first asks for one.</summary>
internal sealed partial class FastCgiConnection
{
    private CancellationTokenSource? _closedSource;
    private CancellationTokenSource? _closeRequestedSource;

    public CancellationToken Closed => Token(ref _closedSource, _closed);

    public CancellationToken CloseRequested => Token(ref _closeRequestedSource, _closing);

    /// <summary>Takes no further request; ends now when none runs, else after the last one.</summary>
    public void RequestClose()
    {
        lock (_gate)
        {
            _closing = true;
            CancelOnThreadPool(_closeRequestedSource);
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
                    CancelOnThreadPool(source);
                }
            }

            return source.Token;
        }
    }

    private void CancelTokens()
    {
        lock (_gate)
        {
            CancelOnThreadPool(_closeRequestedSource);
            CancelOnThreadPool(_closedSource);
        }
    }

    private void CancelOnThreadPool(CancellationTokenSource? source)
    {
        if (source is not null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static state =>
                {
                    try
                    {
                        state.source.Cancel();
                    }
                    catch (Exception exception)
                    {
                        LogTokenCallbackFailed(state.Log, exception);
                    }
                },
                (source, Log),
                preferLocal: false);
        }
    }
}
