namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>
/// The application, the receiving thread, the monitor and the upload in every order of their critical sections: each
/// call of the records is one.
/// </summary>
public class ResponseRecordsInterleavingTests
{
    /// <summary>More than one block takes.</summary>
    private static readonly string s_large = new('x', 66_000);

    /// <summary>
    /// Leased memory survives, blocks leave in their order, and the end takes everything along. <c>*</c> is a large text.
    /// If the application writes on without a flush, what it flushed before must leave all the same.
    /// </summary>
    [Theory]
    [InlineData("Habc", "head", "upload", "append a", "flush", "append bc", "flush")]
    [InlineData("Hab", "append a", "upload", "flush", "head", "append b", "flush")]
    [InlineData("Habc", "head", "upload", "lease", "fill a", "flush", "lease", "fill bc", "flush")]
    [InlineData("H*a*", "head", "upload", "append *", "flush", "write a", "append *", "flush")]
    [InlineData("H*", "head", "upload", "append *", "flush", "lease", "fill not flushed")]
    [InlineData("Ha*", "head", "upload", "append a", "flush", "append *", "end")]
    public void Every_flush_leaves_once(string sent, params string[] steps) =>
        Explore(Enlarge(sent), Array.ConvertAll(steps, StepOf));

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

    private static string Enlarge(string text) => text.Replace("*", s_large, StringComparison.Ordinal);

    private static Action<Run> StepOf(string step)
    {
        var text = Enlarge(step[(step.IndexOf(' ', StringComparison.Ordinal) + 1)..]);
        return step.Split(' ')[0] switch
        {
            "head" => static run => run.Response.Head(),
            "upload" => static run => run.BeginUpload(),
            "append" => run => run.Response.Append(text),
            "write" => run => run.Response.Write(text),
            "lease" => static run => run.Lease(),
            "fill" => run => run.Fill(text),
            "flush" => static run => run.Response.Flush(),
            _ => static run => run.Response.End(),
        };
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
            Response.Records.BeginUploadHold(Response.Owner, this);
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
            Response.Records.BeginUploadHold(Response.Owner, NextHold);
        }
    }
}
