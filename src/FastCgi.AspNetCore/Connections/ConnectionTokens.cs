using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The two tokens of a connection, made when an application first asks for one. Guarded by the gate; a mutable struct.
/// </summary>
internal struct ConnectionTokens
{
    private CancellationTokenSource? _closed;
    private CancellationTokenSource? _closeRequested;

    public CancellationToken Closed(bool isCancelled) => Token(ref _closed, isCancelled);

    public CancellationToken CloseRequested(bool isCancelled) => Token(ref _closeRequested, isCancelled);

    public readonly void RequestClose(ILogger log) => Cancel(_closeRequested, log);

    public readonly void CancelAll(ILogger log)
    {
        Cancel(_closeRequested, log);
        Cancel(_closed, log);
    }

    /// <summary>One that is asked for late is cancelled already, and waits for no other thread.</summary>
    private static CancellationToken Token(ref CancellationTokenSource? source, bool isCancelled) => isCancelled
        ? new CancellationToken(canceled: true)
        : (source ??= new CancellationTokenSource()).Token;

    private static void Cancel(CancellationTokenSource? source, ILogger log)
    {
        if (source is not null)
        {
            TokenCancellation.Queue(source, log);
        }
    }
}
