using FastCgi.AspNetCore.Operations.Exit;

namespace FastCgi.AspNetCore.Tests.Operations.Exit;

public class ExitPolicyTests
{
    [Fact]
    public void Without_a_limit_the_process_never_ends()
    {
        var policy = new ExitPolicy(idleFor: null, requests: null, memory: null, jitter: 0);

        Assert.Null(policy.Judge(TimeSpan.Zero, default));
        Assert.Null(policy.Judge(TimeSpan.FromDays(1), new ExitFigures(0, long.MaxValue, long.MaxValue)));
    }

    [Fact]
    public void Idle_time_begins_when_nothing_is_open_and_no_request_came()
    {
        var policy = IdleFor(10);

        Assert.Null(Judge(policy, 0, open: 0, requests: 0));
        Assert.Null(Judge(policy, 100, open: 1, requests: 1));
        Assert.Null(Judge(policy, 101, open: 0, requests: 1));
        Assert.Null(Judge(policy, 110, open: 0, requests: 1));
        Assert.Equal(ExitReason.Idle, Judge(policy, 111, open: 0, requests: 1));
    }

    [Fact]
    public void A_request_that_came_and_went_between_two_looks_starts_the_time_anew()
    {
        var policy = IdleFor(10);
        Judge(policy, 0, open: 0, requests: 1);
        Judge(policy, 1, open: 0, requests: 1);

        Assert.Null(Judge(policy, 11, open: 0, requests: 2));
        Assert.Null(Judge(policy, 12, open: 0, requests: 2));
        Assert.Equal(ExitReason.Idle, Judge(policy, 22, open: 0, requests: 2));
    }

    [Fact]
    public void The_longest_idle_time_there_is_never_ends()
    {
        var policy = new ExitPolicy(TimeSpan.MaxValue, requests: null, memory: null, jitter: 1);

        Assert.All([0, 100], second => Assert.Null(Judge(policy, second, open: 0, requests: 0)));
    }

    [Theory]
    [InlineData(0.0, 100, ExitReason.Requests)]
    [InlineData(0.0, 99, null)]
    [InlineData(1.0, 109, null)]
    [InlineData(1.0, 111, ExitReason.Requests)]
    [InlineData(0.5, 105, ExitReason.Requests)]
    public void Requests_and_memory_have_their_limit_and_up_to_a_tenth_more(double jitter, long figure, object? reason)
    {
        var requests = new ExitPolicy(idleFor: null, requests: 100, memory: null, jitter);
        var memory = new ExitPolicy(idleFor: null, requests: null, memory: 100, jitter);

        Assert.Equal((ExitReason?)reason, requests.Judge(TimeSpan.Zero, new ExitFigures(9, figure, 0)));
        Assert.Equal(
            reason is null ? null : ExitReason.Memory, memory.Judge(TimeSpan.Zero, new ExitFigures(9, 0, figure)));
    }

    [Fact]
    public void Idle_time_has_up_to_a_tenth_more()
    {
        var policy = IdleFor(10, jitter: 1);
        Judge(policy, 0, open: 0, requests: 0);
        Judge(policy, 1, open: 0, requests: 0);

        Assert.Null(Judge(policy, 11, open: 0, requests: 0));
        Assert.Equal(ExitReason.Idle, Judge(policy, 12, open: 0, requests: 0));
    }

    /// <summary>
    /// Two connections come with a request and go while the heartbeat looks, in every order of their steps. When the
    /// policy says that nothing has come for two looks, that is so.
    /// </summary>
    [Fact]
    public void No_order_of_connections_and_looks_hides_a_connection()
    {
        var orders = Interleavings.Explore(
            static () => new Subject(),
            static _ => { },
            new Actor<Subject>("first", Connect),
            new Actor<Subject>("second", ConnectInThreeSteps),
            new Actor<Subject>("heartbeat", Look));

        Assert.True(orders > 1000, $"Only {orders} orders.");
    }

    /// <summary>The steps of an accept, a request and a close in ConnectionSet.</summary>
    private static IEnumerable<Step> Connect(Subject subject)
    {
        subject.Come();
        yield return "open";
        subject.Requests++;
        yield return "requested";
        subject.Requests--;
        yield return "removed";
        subject.Requests++;
        yield return "added to those of closed connections";
        subject.Go();
    }

    /// <summary>The same with fewer steps, to keep the number of orders down.</summary>
    private static IEnumerable<Step> ConnectInThreeSteps(Subject subject)
    {
        subject.Come();
        yield return "open";
        subject.Requests++;
        yield return "requested";
        subject.Go();
    }

    private static IEnumerable<Step> Look(Subject subject)
    {
        for (subject.Look = 1; subject.Look <= 4; subject.Look++)
        {
            var open = subject.Open;
            yield return "reads the open ones";
            var reason = subject.Policy.Judge(
                TimeSpan.FromSeconds(subject.Look), new ExitFigures(open, subject.Requests, 0));
            if (reason is not null)
            {
                Assert.Equal(0, open);
                Assert.True(subject.LastGone < subject.Look, "A connection was there since the look before.");
            }

            yield return "judges";
        }
    }

    private static ExitPolicy IdleFor(int seconds, double jitter = 0) =>
        new(TimeSpan.FromSeconds(seconds), requests: null, memory: null, jitter);

    private static ExitReason? Judge(ExitPolicy policy, int seconds, long open, long requests) =>
        policy.Judge(TimeSpan.FromSeconds(seconds), new ExitFigures(open, requests, 0));

    private sealed class Subject
    {
        public ExitPolicy Policy { get; } = new(TimeSpan.FromSeconds(1), requests: null, memory: null, jitter: 0);

        public int Open { get; private set; }

        public int Requests { get; set; }

        public int Look { get; set; }

        /// <summary>The look during or before which a connection went last.</summary>
        public int LastGone { get; private set; }

        public void Come() => Open++;

        public void Go()
        {
            Open--;
            LastGone = Look;
        }
    }
}
