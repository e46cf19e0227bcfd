namespace FastCgi.AspNetCore.Tests.Diagnostics;

/// <summary>Loggers whose every call fails.</summary>
internal sealed class ThrowingLoggers : ILoggerFactory, ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => throw new InvalidOperationException("is enabled");

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter) => throw new InvalidOperationException("log");

    public void Dispose()
    {
    }
}
