namespace FastCgi.AspNetCore.Tests.Diagnostics;

/// <summary>Loggers whose every call fails, once they are told to.</summary>
internal sealed class ThrowingLoggers(bool throws = true) : ILoggerFactory, ILoggerProvider, ILogger
{
    public bool Throws { get; set; } = throws;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => Throws ? throw new InvalidOperationException("is enabled") : true;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (Throws)
        {
            throw new InvalidOperationException("log");
        }
    }

    public void Dispose()
    {
    }
}
