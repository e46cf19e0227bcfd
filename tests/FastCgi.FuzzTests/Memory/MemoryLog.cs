using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests.Memory;

/// <summary>Keeps the first log entry that says that the server itself is broken.</summary>
internal sealed class MemoryLog : ILoggerFactory, ILogger
{
    private int _entries;

    /// <summary>From which level on it listens.</summary>
    public LogLevel Level { get; init; } = LogLevel.Error;

    /// <summary>It throws at every fourth entry, as loggers of users may.</summary>
    public bool Throws { get; init; }

    public string? Error { get; private set; }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= Level;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (eventId.Id is LogEvents.HandlerFailed or LogEvents.ServerError or LogEvents.ConnectionFailed
            or LogEvents.HeartbeatFailed or LogEvents.ContinuationFailed or LogEvents.UploadHoldFailed
            or LogEvents.TokenCallbackFailed)
        {
            Error ??= $"{eventId.Name}: {exception}";
        }

        if (Throws && ++_entries % 4 == 0)
        {
            throw new IOException("The disk of the log is full.");
        }
    }

    public void Dispose()
    {
    }
}
