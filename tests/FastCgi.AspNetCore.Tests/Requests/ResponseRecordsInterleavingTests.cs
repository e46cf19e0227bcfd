namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>
/// The application, the receiving thread, the monitor and the upload in every order of their critical sections: each
/// call of the records is one.
/// </summary>
public class ResponseRecordsInterleavingTests
{
    /// <summary>More than one block takes.</summary>
    private static readonly string s_large = new('x', 66_000);

    [Fact]
    public void Every_flush_leaves_once() => Explore(
        "Habc",
        static run => run.Response.Head(),
        static run => run.BeginUpload(),
        static run => run.Response.Append("a"),
        static run => run.Response.Flush(),
        static run => run.Response.Append("bc"),
        static run => run.Response.Flush());

    [Fact]
    public void Every_flush_leaves_once_when_it_came_before_the_head() => Explore(
        "Hab",
        static run => run.Response.Append("a"),
        static run => run.BeginUpload(),
        static run => run.Response.Flush(),
        static run => run.Response.Head(),
        static run => run.Response.Append("b"),
        static run => run.Response.Flush());

    [Fact]
    public void Leased_memory_survives_every_order() => Explore(
        "Habc",
        static run => run.Response.Head(),
        static run => run.BeginUpload(),
        static run => run.Lease(),
        static run => run.Fill("a"),
        static run => run.Response.Flush(),
        static run => run.Lease(),
        static run => run.Fill("bc"),
        static run => run.Response.Flush());

    [Fact]
    public void More_than_one_block_leaves_in_order() => Explore(
        $"H{s_large}a{s_large}",
        static run => run.Response.Head(),
        static run => run.BeginUpload(),
        static run => run.Response.Append(s_large),
        static run => run.Response.Flush(),
        static run => run.Response.Write("a"),
        static run => run.Response.Append(s_large),
        static run => run.Response.Flush());

    /// <summary>The application writes on without a flush: what it flushed before must leave all the same.</summary>
    [Fact]
    public void What_was_flushed_leaves_beside_a_lease() => Explore(
        $"H{s_large}",
        static run => run.Response.Head(),
        static run => run.BeginUpload(),
        static run => run.Response.Append(s_large),
        static run => run.Response.Flush(),
        static run => run.Lease(),
        static run => run.Fill("not flushed"));

    [Fact]
    public void The_end_takes_everything_along() => Explore(
        $"Ha{s_large}",
        static run => run.Response.Head(),
        static run => run.BeginUpload(),
        static run => run.Response.Append("a"),
        static run => run.Response.Flush(),
        static run => run.Response.Append(s_large),
        static run => run.Response.End());

    /// <summary>The last flush waits for the end, which the monitor and the end of the run may precede.</summary>
    [Fact]
    public void The_last_flush_leaves_once_whatever_comes_first()
    {
        var orders = Interleavings.Explore(
            static () => new Run(),
            static run =>
            {
                Assert.Equal("Hlast", run.Response.Connection.Stdout);
                Assert.InRange(run.Response.Connection.Sends.Count, 1, 2);
                run.Response.AssertHome();
            },
            new Actor<Run>("application",
                static run => run.Response.Head(),
                static run => run.Response.Append("last"),
                static run => run.Response.Flush(isWhole: true),
                static run => run.Response.End()),
            new Actor<Run>("receiving thread", static run => run.EndRun()),
            new Actor<Run>(
                "monitor",
                static run => run.Response.Monitor.Tick(TimeSpan.Zero),
                static run => run.Response.Monitor.Tick(TimeSpan.Zero)));
        Assert.True(orders > 20, $"{orders} orders");
    }

    /// <summary>The next response is held by a run and an upload of its own, which no older one ends.</summary>
    [Fact]
    public void What_held_the_last_response_does_not_let_the_next_one_go()
    {
        var orders = Interleavings.Explore(
            static () => new Run(),
            static run =>
            {
                Assert.Empty(run.Response.Connection.Sends);
                run.Response.Records.EndUploadHold(run.NextHold);
                Assert.Empty(run.Response.Connection.Sends);
                run.Response.Records.EndRun(run.NextRun);
                Assert.Equal("Hnext", run.Response.Connection.Stdout);
                run.Response.AssertHome();
            },
            new Actor<Run>("application",
                static run => run.Response.Head(),
                static run => run.BeginUpload(),
                static run => run.Response.Flush(),
                static run => run.Response.End(),
                static run => run.Response.Records.Reset(),
                static run => run.BeginNext(),
                static run => run.Response.Append("next"),
                static run => run.Response.Flush()),
            new Actor<Run>("receiving thread", static run => run.EndRun()),
            new Actor<Run>("upload", EndUpload));
        Assert.True(orders > 10, $"{orders} orders");
    }

    private static void Explore(string sent, params Action<Run>[] steps)
    {
        // The monitor does as the end of the run does; with large bodies, one of the two is enough.
        Actor<Run>[] monitor = sent.Length < s_large.Length
            ? [new Actor<Run>("monitor", static run => run.Response.Records.BreakRun())]
            : [];
        var orders = Interleavings.Explore(
            static () => new Run(),
            run =>
            {
                var stdout = run.Response.Connection.Stdout;
                Assert.StartsWith(sent, stdout, StringComparison.Ordinal);
                Assert.StartsWith(stdout, sent + "not flushed", StringComparison.Ordinal);
                run.Response.AssertHome();
            },
            [
                new Actor<Run>("application", steps),
                new Actor<Run>("receiving thread", static run => run.EndRun()),
                new Actor<Run>("upload", EndUpload),
                .. monitor,
            ]);
        Assert.True(orders > 20, $"{orders} orders");
    }

    private static IEnumerable<Step> EndUpload(Run run)
    {
        yield return Step.Until(() => run.IsHeld, "waits for the hold");
        run.Response.Records.EndUploadHold(run);
    }

    private sealed class Run
    {
        private readonly int _run;
        private Memory<byte> _lease;

        public Run() => _run = Response.Records.BeginRun();

        public ScriptedResponse Response { get; } = new();

        public bool IsHeld { get; private set; }

        public object NextHold { get; } = new();

        public int NextRun { get; private set; }

        public void BeginUpload()
        {
            Response.Records.BeginUploadHold(this);
            IsHeld = true;
        }

        public void EndRun() => Response.Records.EndRun(_run);

        public void Lease() => _lease = Response.Records.GetMemory(Response.Owner, 20);

        public void Fill(string text) => Response.Fill(_lease, text);

        public void BeginNext()
        {
            Response.BeginNext();
            NextRun = Response.Records.BeginRun();
            Response.Head();
            Response.Records.BeginUploadHold(NextHold);
        }
    }
}
