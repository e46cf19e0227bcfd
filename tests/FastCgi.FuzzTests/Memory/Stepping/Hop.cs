using System.Runtime.CompilerServices;

namespace FastCgi.FuzzTests.Memory.Stepping;

/// <summary>Awaited, it goes on in a step of its own: what Task.Yield is to the thread pool.</summary>
internal readonly struct Hop(StepScheduler scheduler) : ICriticalNotifyCompletion
{
    public bool IsCompleted => false;

    public Hop GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) =>
        scheduler.Queue(static continuation => continuation(), continuation);
}
