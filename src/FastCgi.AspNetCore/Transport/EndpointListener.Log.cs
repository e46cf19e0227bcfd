namespace FastCgi.AspNetCore.Transport;

internal sealed partial class EndpointListener
{
    [LoggerMessage(TransportEvents.AcceptPaused, LogLevel.Warning,
        "No connection can be accepted on {Address} for now: {Reason}. Accepting goes on as soon as possible.",
        EventName = nameof(TransportEvents.AcceptPaused))]
    private static partial void LogAcceptPaused(ILogger logger, string address, string reason);

    [LoggerMessage(TransportEvents.AcceptResumed, LogLevel.Information,
        "Connections are accepted on {Address} again.", EventName = nameof(TransportEvents.AcceptResumed))]
    private static partial void LogAcceptResumed(ILogger logger, string address);

    [LoggerMessage(TransportEvents.AcceptFailed, LogLevel.Error,
        "A connection to {Address} could not be taken on.", EventName = nameof(TransportEvents.AcceptFailed))]
    private static partial void LogAcceptFailed(ILogger logger, string address, Exception exception);
}
