namespace FastCgi.FuzzTests.Memory.Stepping;

/// <summary>What the server gave to the thread pool.</summary>
internal sealed class QueuedWork<TState>(Action<TState> action, TState state) : IStep
{
    public void Run() => action(state);
}
