using Microsoft.Extensions.Logging;
using Xunit.Sdk;

namespace FastCgi.Protocol.Tests.TestKit;

public sealed class LogRecorderTests : IDisposable
{
    private readonly LogRecorder _recorder = new();

    [Fact]
    public void An_error_that_was_not_announced_fails()
    {
        Log(LogLevel.Error, 7);

        Assert.ThrowsAny<XunitException>(_recorder.AssertNoUnexpectedErrors);
        _recorder.ExpectError(7);
        _recorder.AssertNoUnexpectedErrors();
    }

    [Fact]
    public void A_warning_is_no_error_not_even_an_announced_one()
    {
        Log(LogLevel.Warning, 7);
        _recorder.AssertNoUnexpectedErrors();
        Assert.Equal("category", Assert.Single(_recorder.Entries).Category);

        _recorder.ExpectError(7);
        Assert.ThrowsAny<XunitException>(_recorder.AssertNoUnexpectedErrors);
    }

    [Theory, InlineData(LogLevel.Error), InlineData(LogLevel.Debug)]
    public void An_assertion_that_failed_fails_though_its_event_was_announced(LogLevel level)
    {
        var assertion = Record.Exception(() => Assert.Fail("of the application"))!;
        foreach (var logged in (Exception[])[assertion, new IOException("", assertion), new AggregateException(new IOException(), assertion)])
        {
            using var recorder = new LogRecorder();
            recorder.ExpectError(7);
            Log(recorder, LogLevel.Error, 7, new InvalidOperationException());
            recorder.AssertNoUnexpectedErrors();

            Log(recorder, level, 7, logged);

            var failure = Assert.ThrowsAny<XunitException>(recorder.AssertNoUnexpectedErrors);
            Assert.Contains("of the application", failure.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Waits_for_an_entry_that_comes_later_and_finds_one_that_came_before()
    {
        var later = _recorder.WaitForAsync(7);
        Log(LogLevel.Debug, 6);
        Assert.False(later.IsCompleted);
        Log(LogLevel.Debug, 7);

        Assert.Equal(7, (await later).EventId.Id);
        Assert.Equal(6, (await _recorder.WaitForAsync(6)).EventId.Id);
    }

    [Fact]
    public async Task Says_what_was_logged_instead()
    {
        Log(LogLevel.Debug, 6);

        var failure = await Assert.ThrowsAnyAsync<XunitException>(
            () => _recorder.WaitForAsync(7, TimeSpan.FromMilliseconds(20)));

        Assert.Contains("event id 7", failure.Message, StringComparison.Ordinal);
        Assert.Contains("text 6", failure.Message, StringComparison.Ordinal);
    }

    public void Dispose() => _recorder.Dispose();

    private void Log(LogLevel level, int id) => Log(_recorder, level, id);

    private static void Log(LogRecorder recorder, LogLevel level, int id, Exception? exception = null) =>
        recorder.CreateLogger("category").Log(level, new EventId(id), id, exception, (state, _) => $"text {state}");
}
