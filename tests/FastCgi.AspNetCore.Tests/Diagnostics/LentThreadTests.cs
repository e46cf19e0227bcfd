namespace FastCgi.AspNetCore.Tests.Diagnostics;

public class LentThreadTests
{
    [Fact]
    public void It_comes_back_as_it_was() => Run(static () =>
    {
        var lent = new LentThread();
        for (var i = 0; i < 2; i++)
        {
            ThreadLitter.Leave();
            Assert.False(ThreadLitter.IsGone());
            lent.Return();
            Assert.True(ThreadLitter.IsGone());
            Assert.Equal("mine", Thread.CurrentThread.Name);
        }
    });

    [Fact]
    public void Its_owner_finds_its_own_settings() => Run(static () =>
    {
        ThreadLitter.Leave();
        var context = SynchronizationContext.Current;
        var lent = new LentThread();
        SynchronizationContext.SetSynchronizationContext(null);
        ThreadLitter.Local.Value = null;
        Thread.CurrentThread.Name = "another's";
        Thread.CurrentThread.Priority = ThreadPriority.Highest;
        Thread.CurrentThread.IsBackground = true;

        lent.Return();

        Assert.Same(context, SynchronizationContext.Current);
        Assert.Equal("left", ThreadLitter.Local.Value);
        Assert.Equal(
            ("left", ThreadPriority.BelowNormal, false),
            (Thread.CurrentThread.Name, Thread.CurrentThread.Priority, Thread.CurrentThread.IsBackground));
    });

    [Fact]
    public void A_thread_that_nobody_changed_costs_no_memory() => Run(static () =>
    {
        new LentThread().Return();
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100; i++)
        {
            new LentThread().Return();
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    });

    private static void Run(Action test)
    {
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(test)) { IsBackground = true, Name = "mine" };
        thread.UnsafeStart();
        Assert.True(thread.Join(Deadline.Default));
        Assert.Null(failure);
    }
}
