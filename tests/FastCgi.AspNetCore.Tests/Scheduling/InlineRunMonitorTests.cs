namespace FastCgi.AspNetCore.Tests.Scheduling;

public class InlineRunMonitorTests
{
    private static readonly TimeSpan TickLength = TimeSpan.FromMilliseconds(5);

    private readonly InlineRunMonitor _monitor = WithoutThread();
    private readonly CountingRun _run = new();

    [Fact]
    public void A_run_is_told_once_it_has_held_its_thread_for_a_whole_tick()
    {
        var slot = _monitor.TakeSlot();

        slot.Begin(_run);
        Assert.True(Tick());
        Assert.Equal(0, _run.Told);

        Assert.True(Tick());
        Assert.Equal(1, _run.Told);

        slot.End();
        Assert.True(Tick());
        Assert.False(Tick());
        Assert.Equal(1, _run.Told);
    }

    [Fact]
    public void Short_runs_are_never_told_however_busy_the_thread_is()
    {
        var slot = _monitor.TakeSlot();

        for (var i = 0; i < 10; i++)
        {
            slot.Begin(_run);
            Assert.True(Tick());
            slot.End();
        }

        Assert.Equal(0, _run.Told);
        Assert.Equal(10, slot.EndedRuns);
    }

    [Fact]
    public void The_monitor_falls_asleep_only_when_nothing_has_begun_since_its_last_look()
    {
        var slot = _monitor.TakeSlot();
        slot.Begin(_run);
        Assert.False(_monitor.TryFallAsleep());
        Assert.False(_monitor.IsAsleep);

        slot.End();
        Tick();
        Assert.True(_monitor.TryFallAsleep());
        Assert.True(_monitor.IsAsleep);
    }

    [Fact]
    public void The_monitor_does_not_fall_asleep_over_a_hold()
    {
        var bytes = new ScriptedBytes { IsBusy = true };
        _monitor.ReleaseAtNextTick(bytes, 7);
        Assert.False(_monitor.TryFallAsleep());

        Assert.True(Tick());
        Assert.Empty(bytes.Released);
        bytes.IsBusy = false;
        Assert.True(Tick());
        Assert.Equal([7], bytes.Released);
        Assert.False(Tick());
        Assert.True(_monitor.TryFallAsleep());
    }

    [Fact]
    public void A_hold_that_fails_keeps_no_other_from_its_tick()
    {
        var bytes = new ScriptedBytes();
        _monitor.ReleaseAtNextTick(new ScriptedBytes { Failure = new IOException() }, 1);
        _monitor.ReleaseAtNextTick(bytes, 2);
        Assert.True(Tick());
        Assert.Equal([2], bytes.Released);
    }

    /// <summary>
    /// The orders of a strict machine; what weak memory adds is the barrier's, between the monitor's two steps.
    /// </summary>
    [Fact]
    public void The_monitor_is_awake_after_a_run_began_whatever_it_was_about_to_do()
    {
        var orders = Interleavings.Explore(
            static () =>
            {
                var monitor = WithoutThread();
                monitor.TryWake();
                return (Monitor: monitor, First: monitor.TakeSlot(), Second: monitor.TakeSlot());
            },
            static scene => Assert.False(scene.Monitor.IsAsleep),
            new("monitor", static scene => scene.Monitor.AnnounceSleep(), static scene => scene.Monitor.ConfirmSleep()),
            new("first", scene => scene.First.Begin(_run), static scene => WakeIfAsleep(scene.Monitor)),
            new("second", scene => scene.Second.Begin(_run), static scene => WakeIfAsleep(scene.Monitor)));

        Assert.Equal(90, orders);
    }

    [Fact]
    public void One_owner_that_fails_keeps_neither_others_nor_itself_from_the_next_tick()
    {
        var failing = new CountingThreads { Failure = new InvalidOperationException("the application's logger") };
        var other = new CountingThreads();
        _monitor.Watch(failing.OnTick);
        _monitor.Watch(other.OnTick);
        _monitor.TakeSlot().Begin(_run);

        Tick();
        Tick();

        Assert.Equal(2, failing.Ticks);
        Assert.Equal(2, other.Ticks);
    }

    [Fact]
    public void A_run_that_fails_when_it_is_told_keeps_nobody_from_being_told()
    {
        _monitor.TakeSlot().Begin(new FailingRun());
        _monitor.TakeSlot().Begin(_run);

        Tick();
        Tick();

        Assert.Equal(1, _run.Told);
    }

    [Fact]
    public void Those_who_own_threads_are_called_at_each_tick_while_something_runs_until_they_leave()
    {
        var threads = new CountingThreads();
        _monitor.Watch(threads.OnTick);
        Tick();
        Assert.Equal(0, threads.Ticks);

        _monitor.TakeSlot().Begin(_run);
        Tick();
        Tick();
        Assert.Equal(2, threads.Ticks);

        _monitor.Unwatch(threads.OnTick);
        Tick();
        Assert.Equal(2, threads.Ticks);
    }

    [Fact]
    public void A_returned_slot_is_given_out_again()
    {
        var slot = _monitor.TakeSlot();
        Assert.NotSame(slot, _monitor.TakeSlot());

        _monitor.ReturnSlot(slot);

        Assert.Same(slot, _monitor.TakeSlot());
    }

    [Fact]
    public async Task A_run_that_blocks_its_thread_is_told_by_the_monitor_thread()
    {
        var blocked = Task.Factory.StartNew(
            () =>
            {
                InlineRuns.Begin(_run);
                try
                {
                    _run.WaitUntilTold();
                }
                finally
                {
                    InlineRuns.End();
                }
            },
            TaskCreationOptions.LongRunning);

        await blocked.Within("the monitor's word to the run that blocks");
    }

    [Fact]
    public async Task A_run_that_begins_while_the_monitor_sleeps_wakes_it()
    {
        Assert.True(
            SpinWait.SpinUntil(() => InlineRunMonitor.Shared.IsAsleep, Deadline.Default), "The monitor never slept.");

        await A_run_that_blocks_its_thread_is_told_by_the_monitor_thread();
    }

    [Fact]
    public void A_run_goes_on_where_the_system_has_no_thread_for_the_monitor_and_the_next_asks_again()
    {
        var asked = 0;
        var monitor = new InlineRunMonitor(_ =>
        {
            if (++asked == 1)
            {
                throw new InsufficientMemoryException();
            }
        });

        monitor.Wake();
        Assert.Equal((1, true), (asked, monitor.IsAsleep));
        monitor.Wake();
        Assert.Equal((2, false), (asked, monitor.IsAsleep));
        monitor.AnnounceSleep();
        monitor.Wake();
        Assert.Equal((2, false), (asked, monitor.IsAsleep));
    }

    /// <summary>Loggers of the application run on it.</summary>
    [Fact]
    public async Task What_is_left_on_its_thread_is_gone_at_the_next_tick()
    {
        var monitor = new InlineRunMonitor();
        var threads = new LitteringThreads();
        monitor.Watch(threads.OnTick);
        var slot = monitor.TakeSlot();
        slot.Begin(_run);
        monitor.Wake();
        Assert.True(await threads.WasClean.Task.Within("the second tick"));
        slot.End();
    }

    [Fact]
    public void Beginning_and_ending_a_run_allocates_nothing()
    {
        InlineRuns.Begin(_run);
        InlineRuns.End();
        var before = GC.GetAllocatedBytesForCurrentThread();

        for (var i = 0; i < 1_000; i++)
        {
            InlineRuns.Begin(_run);
            InlineRuns.End();
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    /// <summary>A monitor that ticks only when the test calls <c>Tick</c>.</summary>
    private static InlineRunMonitor WithoutThread() => new(static _ => { });

    private bool Tick() => _monitor.Tick(TickLength);

    private static void WakeIfAsleep(InlineRunMonitor monitor)
    {
        if (monitor.IsAsleep)
        {
            monitor.TryWake();
        }
    }

    private sealed class FailingRun : IInlineRun
    {
        public void OnStillRunning() => throw new InvalidOperationException("the application's logger");
    }

    private sealed class LitteringThreads
    {
        private bool _hasLittered;

        public TaskCompletionSource<bool> WasClean { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnTick(TimeSpan sinceLastTick)
        {
            if (_hasLittered)
            {
                WasClean.TrySetResult(ThreadLitter.IsGone());
            }

            _hasLittered = true;
            ThreadLitter.Leave();
        }
    }

    private sealed class CountingRun : IInlineRun
    {
        private readonly Latch _wasTold = new();

        public int Told { get; private set; }

        public void OnStillRunning()
        {
            Told++;
            _wasTold.Set();
        }

        public void WaitUntilTold() => _wasTold.Wait();
    }

    private sealed class CountingThreads
    {
        public int Ticks { get; private set; }

        public Exception? Failure { get; init; }

        public void OnTick(TimeSpan sinceLastTick)
        {
            Ticks++;
            if (Failure is not null)
            {
                throw Failure;
            }
        }
    }

    private sealed class ScriptedBytes : IHeldBytes
    {
        public bool IsBusy { get; set; }

        public Exception? Failure { get; init; }

        public List<int> Released { get; } = [];

        public bool TryRelease(int hold)
        {
            if (Failure is not null)
            {
                throw Failure;
            }

            if (!IsBusy)
            {
                Released.Add(hold);
            }

            return !IsBusy;
        }
    }
}
