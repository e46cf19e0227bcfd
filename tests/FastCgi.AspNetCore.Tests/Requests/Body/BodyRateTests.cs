using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Requests.Body;

public class BodyRateTests
{
    private static readonly MinDataRate s_rate = new(10, TimeSpan.FromSeconds(5));

    private WaitingRate _rate;

    [Fact]
    public async Task Only_the_time_of_waiting_reads_counts()
    {
        var request = new ScriptedRequest();
        var reader = request.NewReader();
        Look(request, seconds: 100, isTooLow: false);
        var read = reader.ReadAsync().AsTask();
        Look(request, seconds: 5, isTooLow: false);
        Look(request, seconds: 1, isTooLow: true);
        request.Write("0123456789");
        request.RunContinuations();
        Assert.True(read.IsCompleted);
        Look(request, seconds: 100, isTooLow: false);
        reader.AdvanceTo((await read).Buffer.End);
        request.End();
    }

    [Fact]
    public void What_came_before_counts_for_the_rate()
    {
        var request = new ScriptedRequest();
        var reader = request.NewReader();
        request.Write(new string('x', 80));
        Assert.True(reader.TryRead(out var result));
        reader.AdvanceTo(result.Buffer.End);
        var read = reader.ReadAsync().AsTask();
        Look(request, seconds: 8, isTooLow: false);
        Look(request, seconds: 1, isTooLow: true);
        request.Body.Fail(BodyFailures.TooSlow(10));
        request.RunContinuations();
        Assert.True(read.IsFaulted);
        request.End();
    }

    [Fact]
    public void Without_a_rate_nothing_is_counted()
    {
        var request = new ScriptedRequest();
        _ = request.NewReader().ReadAsync().AsTask();
        Assert.False(_rate.IsTooLow(request.Body.ReceivedWhileWaiting, TimeSpan.FromHours(1), least: null));
        Look(request, seconds: 5, isTooLow: false);
        request.End();
    }

    /// <summary>The heartbeat passes over a connection that a thread works for.</summary>
    [Fact]
    public void The_time_of_looks_that_were_left_out_counts_as_one()
    {
        var request = new ScriptedRequest();
        _ = request.NewReader().ReadAsync().AsTask();
        Assert.False(_rate.IsTooLow(request.Body.ReceivedWhileWaiting, TimeSpan.FromMinutes(1), s_rate));
        Look(request, seconds: 3, isTooLow: false);
        Look(request, seconds: 1, isTooLow: true);
        request.End();
    }

    /// <summary>One look a second.</summary>
    private void Look(ScriptedRequest request, int seconds, bool isTooLow)
    {
        var last = false;
        for (var i = 0; i < seconds; i++)
        {
            Assert.False(last);
            last = _rate.IsTooLow(request.Body.ReceivedWhileWaiting, TimeSpan.FromSeconds(1), s_rate);
        }

        Assert.Equal(isTooLow, last);
    }
}
