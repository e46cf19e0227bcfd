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

    private void Fail(int error) => _ = _failures.PauseAsync(new Win32Exception(error), CancellationToken.None);
}
