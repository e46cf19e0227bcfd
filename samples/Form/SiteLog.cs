namespace FormSample;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "A form was refused: {Reason}")]
    public static partial void FormRefused(this ILogger logger, string reason);

    [LoggerMessage(2, LogLevel.Warning, "A request was refused: {MaxConcurrent} are served, and {QueueLimit} wait.")]
    public static partial void Overloaded(this ILogger logger, int maxConcurrent, int queueLimit);
}
