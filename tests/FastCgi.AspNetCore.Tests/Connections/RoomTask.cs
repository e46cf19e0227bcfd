namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>A wait for room as a task.</summary>
internal sealed class RoomTask : IRoomWaiter
{
    private readonly TaskCompletionSource _room = new();

    /// <summary>How often it was called.</summary>
    public int Calls { get; private set; }

    public Task Task => _room.Task;

    public static Task Of(ISendQueue queue, bool all)
    {
        var waiter = new RoomTask();
        return queue.TryAwaitRoom(waiter, all) ? waiter.Task : Task.CompletedTask;
    }

    public void OnRoom()
    {
        Calls++;
        _room.TrySetResult();
    }
}
