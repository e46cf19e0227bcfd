using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.TestKit;

/// <summary>Loggers of the server whose every call fails. Other loggers write nothing.</summary>
public sealed class ThrowingLoggers : ILoggerFactory, ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) =>
        categoryName.StartsWith("FastCgi.AspNetCore", StringComparison.Ordinal) ? this : NullLogger.Instance;

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
