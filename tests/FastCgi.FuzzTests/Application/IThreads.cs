using System.Runtime.CompilerServices;

namespace FastCgi.FuzzTests.Application;

/// <summary>What an application runs on: the steps of a world in memory, or the thread pool.</summary>
internal interface IThreads
{
    void Queue<TState>(Action<TState> action, TState state);

    /// <summary>Another thread may come in between here.</summary>
    void MayPreempt();

    /// <summary>Code of the user runs here. What is wrong with that, or null.</summary>
    string? OnUserCode(Script? script, string where);
}

/// <summary>The thread pool, where threads come in between by themselves.</summary>
internal sealed class PoolThreads : IThreads
{
    public void Queue<TState>(Action<TState> action, TState state) =>
        ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);

    public void MayPreempt()
    {
    }

    public string? OnUserCode(Script? script, string where) => null;
}

/// <summary>Awaited, it goes on in work of its own: Task.Yield, on the threads of either fuzzer.</summary>
internal readonly struct Hop(IThreads threads) : ICriticalNotifyCompletion
{
    public bool IsCompleted => false;

    public Hop GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) =>
        threads.Queue(static continuation => continuation(), continuation);
}
