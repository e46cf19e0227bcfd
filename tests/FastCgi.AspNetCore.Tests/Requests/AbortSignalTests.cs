namespace FastCgi.AspNetCore.Tests.Requests;

public class AbortSignalTests
{
    /// <summary>Every order of two aborts, the end of the response and the first use of the token.</summary>
    [Fact]
    public void The_token_is_cancelled_if_the_abort_comes_before_the_end()
    {
        List<CancellationToken> quiet = [];
        var orders = Interleavings.Explore(
            static () => new Run(),
            run =>
            {
                var isFiredFirst = run.Events.IndexOf("fire") < run.Events.IndexOf("disarm");
                Assert.True(run.Signal.IsAborted);
                Assert.Equal(isFiredFirst && run.Events.IndexOf("fire") < run.Events.IndexOf("token"), run.IsCancelledAtOnce);
                Assert.Equal(isFiredFirst, run.Signal.Token.IsCancellationRequested);
                if (isFiredFirst)
                {
                    // The cancellation of a token that was asked for before runs on the thread pool.
                    Assert.True(run.Token.WaitHandle.WaitOne(Deadline.Default), "The token is not cancelled.");
                }
                else
                {
                    Assert.Equal(run.Token, run.Signal.Token);
                    quiet.Add(run.Token);
                }
            },
            new Actor<Run>("peer", static run => run.Fire()),
            new Actor<Run>("connection", static run => run.Fire()),
            new Actor<Run>("request", static run =>
            {
                run.Events.Add("disarm");
                run.Signal.Disarm();
            }),
            new Actor<Run>("application", static run =>
            {
                run.Events.Add("token");
                run.Token = run.Signal.Token;
                run.IsCancelledAtOnce = run.Token.IsCancellationRequested;
            }));

        Assert.Equal(24, orders);
        Assert.Equal(8, quiet.Count);
        Assert.DoesNotContain(quiet, static token => token.IsCancellationRequested);
    }

    [Fact]
    public void Without_an_abort_the_token_stays_quiet()
    {
        var signal = new AbortSignal(NullLogger.Instance);
        var token = signal.Token;
        signal.Disarm();
        signal.Disarm();
        Assert.False(signal.IsAborted);
        Assert.False(token.IsCancellationRequested);
    }

    [Fact]
    public void A_peer_that_leaves_with_the_whole_response_cancels_nothing()
    {
        var signal = new AbortSignal(NullLogger.Instance) { IsResponseWhole = true };
        var token = signal.Token;
        signal.Fire(isPeerGone: true);
        Assert.True(signal.IsAborted);
        Assert.False(token.IsCancellationRequested);
        signal.Fire();
        Assert.False(signal.Token.IsCancellationRequested);
    }

    [Fact]
    public void What_else_aborts_a_whole_response_cancels_the_token_whose_later_callbacks_run_at_once()
    {
        var signal = new AbortSignal(NullLogger.Instance) { IsResponseWhole = true };
        signal.Fire();
        Assert.True(signal.Token.IsCancellationRequested);
        var hasRun = false;
        signal.Token.Register(() => hasRun = true);
        Assert.True(hasRun);
    }

    [Fact]
    public async Task A_callback_of_the_token_runs_on_another_thread()
    {
        var signal = new AbortSignal(NullLogger.Instance);
        var thread = 0;
        var isDone = new Latch();
        using var registration = signal.Token.Register(() =>
        {
            thread = Environment.CurrentManagedThreadId;
            isDone.Set();
        });
        var here = 0;
        var firing = Task.Factory.StartNew(
            () =>
            {
                here = Environment.CurrentManagedThreadId;
                signal.Fire();
                isDone.Wait();
            },
            TaskCreationOptions.LongRunning);
        await firing.Within("the callback");
        Assert.NotEqual(here, thread);
    }

    private sealed class Run
    {
        public AbortSignal Signal { get; } = new(NullLogger.Instance);

        public List<string> Events { get; } = [];

        public CancellationToken Token { get; set; }

        public bool IsCancelledAtOnce { get; set; }

        public void Fire()
        {
            Events.Add("fire");
            Signal.Fire();
        }
    }
}
