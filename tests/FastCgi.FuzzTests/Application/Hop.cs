using System.Runtime.CompilerServices;

namespace FastCgi.FuzzTests.Application;

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
