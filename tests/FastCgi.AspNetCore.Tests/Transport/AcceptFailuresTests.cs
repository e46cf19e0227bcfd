using System.ComponentModel;

namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>What the log says of connections that cannot be accepted.</summary>
public class AcceptFailuresTests
{
    private readonly LogRecorder _log = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly AcceptFailures _failures;

    public AcceptFailuresTests() => _failures = new AcceptFailures(
        "unix:/run/app.sock", _log.CreateLogger("test"), _clock, new DescriptorReserve(400, 200));

    /// <summary>The limit of the process is raised elsewhere than that of the system. .NET calls both by one name.</summary>
    [Theory]
    [InlineData(ErrorNumber.TooManyFiles, "none left of its 400 descriptors. Raise the limit by ulimit -n, or by LimitNOFILE=")]
    [InlineData(ErrorNumber.TooManyFilesInSystem, "fs.file-max")]
    [InlineData(ErrorNumber.NoSpace, "fs.epoll.max_user_watches")]
    [InlineData((int)SocketError.TooManyOpenSockets, "ulimit -n", true)]
    public void A_limit_is_named_with_the_setting_that_raises_it(int error, string text, bool isOfDotnet = false)
    {
        Win32Exception failure = isOfDotnet ? new SocketException(error) : new Win32Exception(error);
        _ = _failures.PauseAsync(failure, CancellationToken.None);

        var entry = Assert.Single(_log.Entries);
        Assert.Equal(LogLevel.Warning, entry.Level);
        Assert.Contains(text, entry.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Bursts_at_the_limit_fill_no_log()
    {
        for (var burst = 0; burst < 100; burst++)
        {
            Fail(ErrorNumber.TooManyFiles);
            Fail(ErrorNumber.TooManyFiles);
            _failures.OnQueueEmpty();
        }

        Assert.Equal(
            [LogEvents.AcceptPaused, LogEvents.AcceptResumed], _log.Entries.Select(static entry => entry.EventId.Id));
        _clock.Advance(TimeSpan.FromMinutes(1));
        Fail(ErrorNumber.TooManyFiles);
        Assert.Contains("100 pauses", _log.Entries[^1].Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Pauses_between_failed_accepts_double_up_to_a_tenth_of_a_second_and_are_logged_once_a_burst()
    {
        foreach (var expected in new[] { 10, 20, 40, 80, 100, 100 })
        {
            await AssertPauseAsync(expected);
        }

        Assert.Single(_log.Entries);
        _failures.OnQueueEmpty();
        _failures.OnQueueEmpty();
        Assert.Equal(2, _log.Entries.Count);
        await AssertPauseAsync(10);
    }

    [Fact]
    public async Task A_stop_ends_the_pause()
    {
        using var stopping = new CancellationTokenSource();
        var waiting = _failures.PauseAsync(new Win32Exception(ErrorNumber.TooManyFiles), stopping.Token);

        await stopping.CancelAsync();

        await waiting.Within("the end of the pause");
    }

    private async Task AssertPauseAsync(int milliseconds)
    {
        var waiting = _failures.PauseAsync(new Win32Exception(ErrorNumber.TooManyFiles), CancellationToken.None);
        _clock.Advance(TimeSpan.FromMilliseconds(milliseconds - 1));
        Assert.False(waiting.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        await waiting.Within("the end of the pause");
    }

    private void Fail(int error) => _ = _failures.PauseAsync(new Win32Exception(error), CancellationToken.None);
}
