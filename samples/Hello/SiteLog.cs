namespace HelloSample;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "A form was refused: {Reason}")]
    public static partial void FormRefused(this ILogger logger, string reason);

    [LoggerMessage(2, LogLevel.Information, "A listener of the events left at {Count}.")]
    public static partial void ListenerLeft(this ILogger logger, int count);
}
