using Microsoft.Extensions.Logging;

namespace FastCgi.Tool.Serving;

/// <summary>Writes warnings and errors of a server to the standard error, one line each.</summary>
internal sealed class TerminalLoggerProvider(ToolTerminal terminal) : ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState,
        Exception?,
        string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            string reason = exception is null ? "" : $": {exception.Message}";
            terminal.Error.WriteLine(
                $"fcgi: {logLevel.ToString().ToLowerInvariant()}: {formatter(state, exception)}{reason}");
        }
    }

    public void Dispose()
    {
    }
}
