using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// Cancels on another thread: an application's callbacks never run on the thread that found the reason, and their
/// exceptions end nothing. Takes the source itself, because its owner may already serve another request.
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
