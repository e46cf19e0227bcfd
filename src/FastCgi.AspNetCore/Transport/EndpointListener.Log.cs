using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

internal sealed partial class EndpointListener
{
    [LoggerMessage(LogEvents.AcceptPaused, LogLevel.Warning,
        "No connection can be accepted on {Address} for now: {Reason}. Accepting goes on as soon as possible.",
        EventName = nameof(LogEvents.AcceptPaused))]
    private static partial void LogAcceptPaused(ILogger logger, string address, string reason);

    [LoggerMessage(LogEvents.AcceptResumed, LogLevel.Information,
        "Connections are accepted on {Address} again.", EventName = nameof(LogEvents.AcceptResumed))]
    private static partial void LogAcceptResumed(ILogger logger, string address);

    [LoggerMessage(LogEvents.AcceptFailed, LogLevel.Error,
        "A connection to {Address} could not be taken on.", EventName = nameof(LogEvents.AcceptFailed))]
    private static partial void LogAcceptFailed(ILogger logger, string address, Exception exception);
}
