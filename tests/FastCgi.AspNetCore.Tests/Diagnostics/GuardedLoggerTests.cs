namespace FastCgi.AspNetCore.Tests.Diagnostics;

public class GuardedLoggerTests
{
    [Fact]
    public void Nothing_that_a_logger_throws_leaves_it()
    {
        ILogger log = GuardedLogger.Create(new ThrowingLoggers(), "FastCgi.AspNetCore");
        Assert.False(log.IsEnabled(LogLevel.Error));
        log.Log(LogLevel.Error, default, 0, null, static (_, _) => "text");
    }

    [Fact]
    public void What_is_logged_arrives()
    {
        using var recorder = new LogRecorder();
        using var factory = new LoggerFactory([recorder]);
        ILogger log = GuardedLogger.Create(factory, "category");
        Assert.True(log.IsEnabled(LogLevel.Information));
        log.Log(LogLevel.Information, new EventId(7), 5, null, static (state, _) => $"text {state}");
        var entry = Assert.Single(recorder.Entries);
        Assert.Equal(("category", 7, "text 5"), (entry.Category, entry.EventId.Id, entry.Message));
    }

    [Fact]
    public void Scopes_are_the_loggers_own() =>
        Assert.NotNull(GuardedLogger.Create(NullLoggerFactory.Instance, "any").BeginScope("scope"));
}
