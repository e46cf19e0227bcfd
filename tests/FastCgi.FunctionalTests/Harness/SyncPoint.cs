namespace FastCgi.FunctionalTests.Harness;

/// <summary>Something that happens once, and that the other side waits for: what gives tests their order.</summary>
public sealed class SyncPoint(string name)
{
    private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public bool IsReached => _reached.Task.IsCompleted;

    public void Reach() => _reached.TrySetResult();

    public Task WaitAsync() => _reached.Task.Within(name);

    public Task WaitAsync(TimeSpan deadline) => _reached.Task.Within(name, deadline: deadline);

    public static implicit operator SyncPoint(string name) => new(name);
}
