using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The two tokens of a connection, made when an application first asks for one. Guarded by the gate; a mutable struct.
/// </summary>
internal struct ConnectionTokens
{
    private CancellationTokenSource? _closed;
    private CancellationTokenSource? _closeRequested;

    public CancellationToken Closed(bool isCancelled, ILogger log) => Token(ref _closed, isCancelled, log);

    public CancellationToken CloseRequested(bool isCancelled, ILogger log) =>
        Token(ref _closeRequested, isCancelled, log);

    public readonly void RequestClose(ILogger log) => Cancel(_closeRequested, log);

    public readonly void CancelAll(ILogger log)
    {
        Cancel(_closeRequested, log);
        Cancel(_closed, log);
    }

    private static CancellationToken Token(ref CancellationTokenSource? source, bool isCancelled, ILogger log)
    {
        if (source is null)
        {
            source = new CancellationTokenSource();
            if (isCancelled)
            {
                Cancel(source, log);
            }
        }

        return source.Token;
    }

    private static void Cancel(CancellationTokenSource? source, ILogger log)
    {
        if (source is not null)
        {
            TokenCancellation.Queue(source, log);
        }
    }
}
