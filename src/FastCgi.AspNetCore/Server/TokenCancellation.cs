using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// Cancels on another thread: callbacks of an application never run on the thread that noticed why, and what they
/// throw ends nothing. The source itself is what is kept, since its owner may serve another request by then.
/// </summary>
internal static partial class TokenCancellation
{
    public static void Queue(CancellationTokenSource source, ILogger logger) =>
        EndingThreads.QueueCallbacks(Cancel, (source, logger));

    private static void Cancel((CancellationTokenSource Source, ILogger Logger) state)
    {
        try
        {
            state.Source.Cancel();
        }
        catch (Exception exception)
        {
            LogCallbackFailed(state.Logger, exception);
        }
    }

    [LoggerMessage(LogEvents.TokenCallbackFailed, LogLevel.Error,
        "A callback of RequestAborted, or of another token of the server, threw.",
        EventName = nameof(LogEvents.TokenCallbackFailed))]
    private static partial void LogCallbackFailed(ILogger logger, Exception exception);
}
