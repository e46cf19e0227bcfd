namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>A wait for room as a task.</summary>
internal sealed class RoomTask(bool all = false) : IRoomWaiter
{
    private readonly TaskCompletionSource _room = new();

    /// <summary>How often it was called.</summary>
    public int Calls { get; private set; }

    public bool WaitsForAll => all;

    public Task Task => _room.Task;

    public static Task Of(ISendQueue queue, bool all)
    {
        var waiter = new RoomTask(all);
        return queue.TryAwaitRoom(waiter) ? waiter.Task : Task.CompletedTask;
    }

    public void OnRoom()
    {
        Calls++;
        _room.TrySetResult();
    }
}
