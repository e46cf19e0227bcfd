namespace FastCgi.AspNetCore.Tests.Connections;

public sealed class SendWaitersTests
{
    private readonly SendWaiters _waiters = new();

    [Fact]
    public void A_flush_that_waits_for_everything_asks_nothing_of_the_next_one()
    {
        _waiters.AwaitRoom(new RoomTask(all: true));
        _waiters.AwaitRoom(new RoomTask());
        Assert.True(_waiters.WaitForAll);
        _ = _waiters.Take(room: true);
        _waiters.AwaitRoom(new RoomTask());
        Assert.False(_waiters.WaitForAll);
        _waiters.AwaitRoom(new RoomTask(all: true));
        Assert.True(_waiters.WaitForAll);
    }

    /// <summary>The others are called as ever, and one that is left alone goes on at once.</summary>
    [Theory]
    [InlineData(3, 0)]
    [InlineData(3, 1)]
    [InlineData(3, 2)]
    [InlineData(2, 0)]
    [InlineData(2, 1)]
    public async Task A_flush_that_is_forgotten_is_not_called(int count, int forgotten)
    {
        RoomTask[] waiters = [.. Enumerable.Range(0, count).Select(static _ => new RoomTask())];
        Assert.All(waiters, _waiters.AwaitRoom);
        Assert.True(_waiters.TryForget(waiters[forgotten]));
        Assert.False(_waiters.TryForget(waiters[forgotten]));
        _waiters.Take(room: true).Give(succeeded: true);
        RoomTask[] others = [.. waiters.Where((_, i) => i != forgotten)];
        Assert.True(others.Length > 1 || others[0].Calls == 1);
        await Task.WhenAll(others.Select(static waiter => waiter.Task)).Within("the others");
        Assert.Equal(0, waiters[forgotten].Calls);
        Assert.All(others, waiter => Assert.False(_waiters.TryForget(waiter)));
    }

    [Fact]
    public void A_single_flush_goes_on_here_and_is_called_once()
    {
        var waiter = new RoomTask();
        _waiters.AwaitRoom(waiter);
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
        Assert.All(waiters, _waiters.AwaitRoom);
        _waiters.Take(room: true).Give(succeeded: true);
        await Task.WhenAll(waiters.Select(static waiter => waiter.Task)).Within("all of them");
        var next = new RoomTask();
        _waiters.AwaitRoom(next);
        _waiters.Take(room: true).Give(succeeded: true);
        Assert.Equal([1, 1, 1, 1], [.. waiters.Append(next).Select(static waiter => waiter.Calls)]);
    }
}
