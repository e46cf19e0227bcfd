namespace CounterSample.Hosting;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "A live page connected; there are {Pages}.")]
    public static partial void PageConnected(this ILogger logger, int pages);

    [LoggerMessage(2, LogLevel.Information, "A live page left or lost its connection; there are {Pages}.")]
    public static partial void PageLeft(this ILogger logger, int pages);
}
