using FastCgi.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Tests.Connections;

public sealed class SendWaitersTests
{
    [Fact]
    public void A_flush_that_waits_for_everything_asks_nothing_of_the_next_one()
    {
        var waiters = new SendWaiters();
        _ = waiters.AwaitRoom(all: true);
        _ = waiters.AwaitRoom(all: false);
        Assert.True(waiters.WaitForAll);
        _ = waiters.Take(room: true);
        _ = waiters.AwaitRoom(all: false);
        Assert.False(waiters.WaitForAll);
    }
}
