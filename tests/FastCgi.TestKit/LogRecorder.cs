using Microsoft.Extensions.Logging;
using Xunit;
using Xunit.Sdk;

namespace FastCgi.TestKit;

/// <summary>
/// Keeps what is logged. A test fails on an error that it did not announce, and on an assertion that failed in the
/// application: end it with <see cref="AssertNoUnexpectedErrors"/>.
/// </summary>
public sealed class LogRecorder : ILoggerProvider
{
    private readonly Lock _lock = new();
    private readonly List<LogEntry> _entries = [];
    private readonly List<Predicate<LogEntry>> _expectedErrors = [];
    private bool _areErrorsAllowed;
    private readonly List<(Predicate<LogEntry> IsWanted, TaskCompletionSource<LogEntry> Found)> _waiting = [];

    public LogRecorder() =>
        FailureReportAttribute.Add("The log of the server", () => string.Join(Environment.NewLine, Entries));

    /// <summary>Runs on the thread that logs, inside the call.</summary>
    public Action<LogEntry>? OnEntry { get; set; }

    public IReadOnlyList<LogEntry> Entries
    {
        get
        {
            lock (_lock)
            {
                return [.. _entries];
            }
        }
    }

    /// <summary>Errors with this event id are what the test is about, however many come.</summary>
    public void ExpectError(int eventId) => ExpectError(entry => entry.EventId.Id == eventId);

    public void ExpectError(Predicate<LogEntry> isExpected)
    {
        lock (_lock)
        {
            _expectedErrors.Add(isExpected);
        }
    }

    /// <summary>Any error may come, and none needs to.</summary>
    public void AllowErrors() => _areErrorsAllowed = true;

    /// <summary>
    /// Fails on an entry of Error or Critical that was not announced, on an announced one that never came, and on any
    /// entry with a failed assertion: the server takes it for a failure of the application, as a test may announce.
    /// </summary>
    public void AssertNoUnexpectedErrors()
    {
        lock (_lock)
        {
            var errors = _entries.Where(entry => entry.Level >= LogLevel.Error).ToList();
            var unexpected = errors.Where(entry => !_areErrorsAllowed && !_expectedErrors.Exists(isExpected => isExpected(entry)))
                .Union(_entries.Where(entry => IsAssertion(entry.Exception)));
            Assert.True(!unexpected.Any(), $"Logged unexpectedly: {string.Join(Environment.NewLine, unexpected)}");
            Assert.True(
                _expectedErrors.TrueForAll(isExpected => errors.Exists(isExpected)),
                "An error that the test announced was not logged.");
        }
    }

    /// <summary>The first entry with this event id, logged already or to come.</summary>
    public Task<LogEntry> WaitForAsync(int eventId, TimeSpan? deadline = null) =>
        WaitForAsync(entry => entry.EventId.Id == eventId, $"a log entry with event id {eventId}", deadline);

    /// <summary>The first entry of that kind, logged already or to come.</summary>
    public Task<LogEntry> WaitForAsync(Predicate<LogEntry> isWanted, string awaited, TimeSpan? deadline = null)
    {
        var found = new TaskCompletionSource<LogEntry>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            if (_entries.Find(isWanted) is { } entry)
            {
                return Task.FromResult(entry);
            }

            _waiting.Add((isWanted, found));
        }

        return found.Task.Within(awaited, () => string.Join(Environment.NewLine, Entries), deadline);
    }

    /// <summary>
    /// Forgets all, at the end of the test: a thread keeps the request that it served last, and with it the loggers of a
    /// server that has stopped, and what a test logged may be large.
    /// </summary>
    public void Clear()
    {
        lock (_lock)
        {
            _entries.Clear();
            _entries.TrimExcess();
        }
    }

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    /// <summary>Nothing: the entries outlive the host that wrote them.</summary>
    public void Dispose()
    {
    }

    private static bool IsAssertion(Exception? exception) => exception switch
    {
        null => false,
        IAssertionException => true,
        AggregateException several => several.InnerExceptions.Any(IsAssertion),
        _ => IsAssertion(exception.InnerException),
    };

    private void Add(LogEntry entry)
    {
        lock (_lock)
        {
            _entries.Add(entry);
            _waiting.RemoveAll(waiter => waiter.IsWanted(entry) && waiter.Found.TrySetResult(entry));
        }

        OnEntry?.Invoke(entry);
    }

    private sealed class Logger(LogRecorder recorder, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            recorder.Add(new LogEntry(
                category,
                logLevel,
                eventId,
                formatter(state, exception),
                exception,
                state is IEnumerable<KeyValuePair<string, object?>> values ? [.. values] : []));
    }
}

/// <summary>One log entry, formatted, with what it was formatted from.</summary>
public sealed record LogEntry(
    string Category,
    LogLevel Level,
    EventId EventId,
    string Message,
    Exception? Exception,
    IReadOnlyList<KeyValuePair<string, object?>> State)
{
    public override string ToString() => $"{Level} {Category}[{EventId.Id} {EventId.Name}] {Message} {Exception}";
}
