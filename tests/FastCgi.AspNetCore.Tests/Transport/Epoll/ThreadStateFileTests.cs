namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

[SupportedOSPlatform("linux")]
public sealed class ThreadStateFileTests
{
    [Fact]
    public void A_thread_that_runs_is_runnable() => Assert.True(ThreadStateFile.OfThisThread()!.IsRunnable());

    [Fact]
    public async Task A_thread_that_waits_is_not_and_one_that_has_ended_neither()
    {
        using var end = new ManualResetEvent(initialState: false);
        var started = new TaskCompletionSource<ThreadStateFile?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            started.SetResult(ThreadStateFile.OfThisThread());
            end.WaitOne();
        }) { Name = "a) R (b" };
        thread.Start();
        var state = await started.Task.Within("the thread");
        Assert.NotNull(state);
        Assert.True(SpinWait.SpinUntil(() => !state.IsRunnable(), Deadline.Default), "It waits for the event.");

        end.Set();
        Assert.True(thread.Join(Deadline.Default));
        Assert.True(SpinWait.SpinUntil(() => !state.IsRunnable(), Deadline.Default), "It has ended.");
    }
}
