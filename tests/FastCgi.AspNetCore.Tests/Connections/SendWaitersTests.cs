namespace FastCgi.AspNetCore.Tests.Connections;

public sealed class SendWaitersTests
{
    private readonly SendWaiters _waiters = new();

    [Fact]
    public void A_flush_that_waits_for_everything_asks_nothing_of_the_next_one()
    {
        _waiters.AwaitRoom(new RoomTask(), all: true);
        _waiters.AwaitRoom(new RoomTask(), all: false);
        Assert.True(_waiters.WaitForAll);
        _ = _waiters.Take(room: true);
        _waiters.AwaitRoom(new RoomTask(), all: false);
        Assert.False(_waiters.WaitForAll);
    }

    [Fact]
    public void A_single_flush_goes_on_here_and_is_called_once()
    {
        var waiter = new RoomTask();
        _waiters.AwaitRoom(waiter, all: false);
        _waiters.Take(room: false).Give(succeeded: true);
        Assert.Equal(0, waiter.Calls);
        _waiters.Take(room: true).Give(succeeded: true);
        Assert.Equal(1, waiter.Calls);
        _waiters.Take(room: true).Give(succeeded: true);
        Assert.Equal(1, waiter.Calls);
    }

    [Fact]
    public async Task Of_several_flushes_each_is_called()
    {
        RoomTask[] waiters = [new(), new(), new()];
        foreach (var waiter in waiters)
        {
            _waiters.AwaitRoom(waiter, all: false);
        }

        _waiters.Take(room: true).Give(succeeded: true);
        await Task.WhenAll(waiters.Select(static waiter => waiter.Task)).Within("all of them");
        var next = new RoomTask();
        _waiters.AwaitRoom(next, all: false);
        _waiters.Take(room: true).Give(succeeded: true);
        Assert.Equal([1, 1, 1, 1], [.. waiters.Append(next).Select(static waiter => waiter.Calls)]);
    }
}
