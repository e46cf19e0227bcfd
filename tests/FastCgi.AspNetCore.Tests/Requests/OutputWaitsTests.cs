namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class OutputWaitsTests
{
    private readonly ScriptedConnection _queue = new(new TrackingPool()) { HasRoom = false };
    private readonly OutputWaits _waits;

    public OutputWaitsTests() => _waits = new OutputWaits(_queue, _queue);

    [Fact]
    public async Task Where_there_is_room_nobody_waits()
    {
        _queue.HasRoom = true;
        var wait = _waits.WaitAsync(all: true, CancellationToken.None);
        Assert.True(wait.IsCompletedSuccessfully);
        Assert.Equal(OutputWaitEnd.Room, await wait);
        Assert.False(_waits.IsWaiting);
        _waits.Cancel();
        Assert.True(_waits.TakeCancellation());
        Assert.False(_waits.TakeCancellation());
    }

    [Fact]
    public async Task A_flush_that_does_not_wait_yet_is_cancelled_at_its_wait()
    {
        _waits.Cancel();
        Assert.Equal(OutputWaitEnd.FlushCancelled, await WaitAsync().AsTask().Within("an end"));
        _waits.Cancel();
        Assert.Equal(
            OutputWaitEnd.FlushCancelled,
            await WaitForAsync(new TaskCompletionSource().Task).AsTask().Within("an end"));
        Assert.False(_waits.TakeCancellation());
    }

    [Fact]
    public async Task An_abort_ends_each_wait_and_those_to_come()
    {
        await AssertAllEndAsync(_waits.EndAll, OutputWaitEnd.Aborted);
        Assert.Equal(OutputWaitEnd.Aborted, await WaitAsync().AsTask().Within("an end"));
        Assert.Equal(
            OutputWaitEnd.Aborted,
            await WaitForAsync(new TaskCompletionSource().Task).AsTask().Within("an end"));
        Assert.Empty(_queue.Waiters);
    }

    [Fact]
    public async Task A_cancellation_ends_each_wait_and_none_to_come()
    {
        await AssertAllEndAsync(_waits.Cancel, OutputWaitEnd.FlushCancelled);
        Assert.False(_waits.TakeCancellation());
    }

    /// <summary>The client sends meanwhile, and is not slow to take the response.</summary>
    [Fact]
    public async Task A_wait_for_a_task_is_none_for_the_peer()
    {
        var task = new TaskCompletionSource();
        var wait = WaitForAsync(task.Task).AsTask();
        Assert.False(_waits.IsWaiting);
        Assert.False(wait.IsCompleted);
        task.SetResult();
        Assert.Equal(OutputWaitEnd.Room, await wait.Within("the task"));
    }

    /// <summary>The task has it to call, maybe while the next one waits.</summary>
    [Fact]
    public async Task A_cancelled_wait_for_a_task_is_not_used_again()
    {
        var task = new TaskCompletionSource();
        var cancelled = WaitForAsync(task.Task).AsTask();
        _waits.Cancel();
        Assert.Equal(OutputWaitEnd.FlushCancelled, await cancelled.Within("the cancelled wait"));
        var next = WaitAsync();
        task.SetResult();
        Assert.False(next.IsCompleted);
        _queue.Waiters[0].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await next);
    }

    /// <summary>The thread that cancels may be late: the flush has taken it, and the next one waits.</summary>
    [Fact]
    public async Task One_cancellation_ends_one_flush()
    {
        for (int round = 0; round < 3000; round++)
        {
            var wait = WaitAsync().AsTask();
            using var start = new Barrier(2);
            var cancelling = Race(start, _waits.Cancel);
            start.SignalAndWait();
            bool isTaken = _waits.TakeCancellation();
            Assert.Equal(OutputWaitEnd.FlushCancelled, await wait.Within("the cancelled flush"));
            await cancelling;
            Assert.False(isTaken || _waits.TakeCancellation());
        }
    }

    [Fact]
    public async Task One_object_serves_one_wait_after_the_other()
    {
        for (int i = 0; i < 3; i++)
        {
            var wait = WaitAsync();
            Assert.True(_waits.IsWaiting);
            Assert.False(wait.IsCompleted);
            _queue.Waiters[i].OnRoom();
            Assert.Equal(OutputWaitEnd.Room, await wait);
            Assert.False(_waits.IsWaiting);
        }

        Assert.Single(_queue.Waiters.Distinct());
    }

    /// <summary>The queue has taken the cancelled one to be called, and may do so while the next one waits.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancelled_wait_that_is_about_to_be_called_is_not_used_again(bool byToken)
    {
        _queue.IsAboutToCall = true;
        using var source = new CancellationTokenSource();
        var cancelled = WaitAsync(source.Token).AsTask();
        if (byToken)
        {
            await source.CancelAsync();
        }
        else
        {
            _waits.Cancel();
        }

        var expected = byToken ? OutputWaitEnd.TokenCancelled : OutputWaitEnd.FlushCancelled;
        Assert.Equal(expected, await cancelled.Within("the cancelled wait"));
        var next = WaitAsync();
        _queue.Waiters[0].OnRoom();
        Assert.False(next.IsCompleted);
        _queue.Waiters[1].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await next);
    }

    /// <summary>A client that takes nothing for minutes may meet an application that flushes every second.</summary>
    [Fact]
    public async Task A_cancelled_wait_leaves_the_queue_and_serves_again()
    {
        var cancelled = WaitAsync();
        var waiter = Assert.Single(_queue.Waiters);
        _waits.Cancel();
        Assert.Equal(OutputWaitEnd.FlushCancelled, await cancelled);
        Assert.Empty(_queue.Waiters);
        var next = WaitAsync();
        Assert.Same(waiter, Assert.Single(_queue.Waiters));
        waiter.OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await next);
    }

    [Fact]
    public async Task A_token_that_is_cancelled_after_the_wait_ends_no_later_one()
    {
        using var source = new CancellationTokenSource();
        var first = WaitAsync(source.Token);
        _queue.Waiters[0].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await first);
        var second = WaitAsync();
        await source.CancelAsync();
        Assert.False(second.IsCompleted);
        _queue.Waiters[1].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await second);
    }

    [Fact]
    public async Task Two_waits_at_a_time_have_an_object_each()
    {
        var first = WaitAsync();
        var second = WaitAsync();
        _queue.Waiters[1].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await second);
        Assert.False(first.IsCompleted);
        Assert.True(_waits.IsWaiting);
        _queue.Waiters[0].OnRoom();
        Assert.Equal(OutputWaitEnd.Room, await first);
        Assert.False(_waits.IsWaiting);
    }

    /// <summary>A callback without await, on the thread that sends, or on the thread pool.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_a_callback_throws_is_not_the_servers(bool byRoom)
    {
        Callback.Throws(WaitAsync());
        if (byRoom)
        {
            _queue.Waiters[0].OnRoom();
        }
        else
        {
            _waits.Cancel();
        }

        Assert.True(SpinWait.SpinUntil(() => !_queue.Failures.IsEmpty, Deadline.Default));
        Assert.Equal("a callback", Assert.Single(_queue.Failures).Message);
    }

    /// <summary>Room and both cancellations come at once: one of them ends the wait, and none of them twice.</summary>
    [Fact]
    public async Task Whoever_comes_first_ends_it()
    {
        for (int round = 0; round < 300; round++)
        {
            using var source = new CancellationTokenSource();
            var wait = WaitAsync(source.Token).AsTask();
            var waiter = _queue.Waiters[^1];
            using var start = new Barrier(3);
            await Task.WhenAll(
                Race(start, waiter.OnRoom), Race(start, _waits.Cancel), Race(start, source.Cancel));
            var end = await wait.Within("the end");
            Assert.True(Enum.IsDefined(end));
            Assert.False(_waits.IsWaiting);

            // A flush is cancelled once: this one, or else the next.
            Assert.Equal(end != OutputWaitEnd.FlushCancelled, _waits.TakeCancellation());
        }
    }

    private ValueTask<OutputWaitEnd> WaitAsync(CancellationToken token = default) =>
        _waits.WaitAsync(all: false, token);

    private ValueTask<OutputWaitEnd> WaitForAsync(Task task) => _waits.WaitForAsync(task, CancellationToken.None);

    private async Task AssertAllEndAsync(Action end, OutputWaitEnd expected)
    {
        Task<OutputWaitEnd>[] waits =
            [WaitAsync().AsTask(), WaitAsync().AsTask(), WaitForAsync(new TaskCompletionSource().Task).AsTask()];
        end();
        foreach (Task<OutputWaitEnd> wait in waits)
        {
            Assert.Equal(expected, await wait.Within("an end"));
        }

        Assert.False(_waits.IsWaiting);
        Assert.Empty(_queue.Waiters);
    }

    private static Task Race(Barrier start, Action action) => Task.Factory.StartNew(
        () =>
        {
            start.SignalAndWait();
            action();
        },
        TaskCreationOptions.LongRunning);
}
