using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Requests.Body;

public sealed class BodyRateTests : IDisposable
{
    private static readonly MinDataRate s_rate = new(10, TimeSpan.FromSeconds(5));

    private readonly ScriptedRequest _request = new();
    private WaitingRate _rate;

    public void Dispose() => _request.End();

    [Fact]
    public async Task Only_the_time_of_waiting_reads_counts()
    {
        var reader = _request.NewReader();
        Look(seconds: 100, isTooLow: false);
        var read = reader.ReadAsync().AsTask();
        Look(seconds: 5, isTooLow: false);
        Look(seconds: 1, isTooLow: true);
        _request.Write("0123456789");
        _request.RunContinuations();
        Assert.True(read.IsCompleted);
        Look(seconds: 100, isTooLow: false);
        reader.AdvanceTo((await read).Buffer.End);
    }

    [Fact]
    public void What_came_before_counts_for_the_rate()
    {
        var reader = _request.NewReader();
        _request.Write(new string('x', 80));
        Assert.True(reader.TryRead(out var result));
        reader.AdvanceTo(result.Buffer.End);
        var read = reader.ReadAsync().AsTask();
        Look(seconds: 8, isTooLow: false);
        Look(seconds: 1, isTooLow: true);
        _request.Body.Fail(BodyFailures.TooSlow(10));
        _request.RunContinuations();
        Assert.True(read.IsFaulted);
    }

    [Fact]
    public void Without_a_rate_nothing_is_counted()
    {
        _ = _request.NewReader().ReadAsync().AsTask();
        Assert.False(_rate.IsTooLow(_request.Body.ReceivedWhileWaiting, TimeSpan.FromHours(1), least: null));
        Look(seconds: 5, isTooLow: false);
    }

    /// <summary>The heartbeat passes over a connection that a thread works for.</summary>
    [Fact]
    public void The_time_of_looks_that_were_left_out_counts_as_one()
    {
        _ = _request.NewReader().ReadAsync().AsTask();
        Assert.False(_rate.IsTooLow(_request.Body.ReceivedWhileWaiting, TimeSpan.FromMinutes(1), s_rate));
        Look(seconds: 3, isTooLow: false);
        Look(seconds: 1, isTooLow: true);
    }

    /// <summary>One look a second.</summary>
    private void Look(int seconds, bool isTooLow)
    {
        var last = false;
        for (var i = 0; i < seconds; i++)
        {
            Assert.False(last);
            last = _rate.IsTooLow(_request.Body.ReceivedWhileWaiting, TimeSpan.FromSeconds(1), s_rate);
        }

        Assert.Equal(isTooLow, last);
    }
}
