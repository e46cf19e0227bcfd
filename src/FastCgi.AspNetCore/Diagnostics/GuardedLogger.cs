namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// A logger whose exceptions do no harm. Loggers are user code, and the server logs from its heartbeat, from timers,
/// and from threads that serve many connections. An exception there would stop them all, or end the process.
/// </summary>
internal sealed class GuardedLogger(ILogger inner) : ILogger
{
    public static ILogger Create(ILoggerFactory factory, string category) =>
        new GuardedLogger(factory.CreateLogger(category));

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return inner.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        try
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // There is no other place to report it.
        }
    }
}
