namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>
/// The connection and the application in every order of their critical sections: each call of a body or its reader is
/// one.
/// </summary>
public class RequestBodyInterleavingTests
{
    [Fact]
    public void Write_and_read()
    {
        var orders = Explore(
            static run => Assert.Equal("abcdef", run.Text),
            new Actor<Run>("connection",
                static run => run.Request.Write("abc"),
                static run => run.Request.Write("def"),
                static run => run.Request.Body.End()));

        Assert.True(orders > 10, $"{orders} orders");
    }

    [Fact]
    public void Pause_and_read() => Explore(
        static run =>
        {
            Assert.Equal(new string('x', 30), run.Text);
            Assert.Equal(run.Pauses, run.Request.Resumes);
        },
        new Actor<Run>("connection", WriteAndPause));

    [Fact]
    public void Fail_and_read() => Explore(
        static run =>
        {
            Assert.IsType<IOException>(run.Failure);
            Assert.StartsWith(run.Text, "abc", StringComparison.Ordinal);
        },
        new Actor<Run>("connection",
            static run => run.Request.Write("abc"),
            static run => run.Request.Body.Fail(new IOException("lost"))));

    [Fact]
    public void Cancel_and_read() => Explore(
        static run =>
        {
            Assert.Equal("abc", run.Text);
            Assert.InRange(run.Cancelled, 0, 1);
        },
        new Actor<Run>("canceller", static run => run.Reader.CancelPendingRead()),
        new Actor<Run>("connection",
            static run => run.Request.Write("abc"),
            static run => run.Request.Body.End()));

    /// <summary>The request ends beside a reader that its application abandoned, and another one begins.</summary>
    [Fact]
    public void Drop_and_read() => Explore(
        static run =>
        {
            Assert.True(run.Failure is null or ObjectDisposedException, run.Failure?.ToString());
            Assert.StartsWith(run.Text, "abc", StringComparison.Ordinal);
            ScriptedRequest.AssertReads("next", run.Next!);
        },
        new Actor<Run>("request",
            static run => run.Request.Write("abc"),
            static run =>
            {
                run.Request.Body.EndReading();
                run.IsOver = true;
            },
            static run => run.Request.Body.Drop(),
            static run => run.Request.Body.Reset(),
            static run =>
            {
                run.Request.Begin();
                run.Request.Write("next");
                run.Next = run.Request.NewReader();
            }));

    private static int Explore(Action<Run> check, params Actor<Run>[] others) => Interleavings.Explore(
        static () => new Run(),
        run =>
        {
            check(run);
            run.Request.Body.Reset();
            Assert.Equal(0, run.Request.Pool.Outstanding);
        },
        [new Actor<Run>("application", Read), .. others]);

    /// <summary>Reads to the end, byte positions and all, as an application does.</summary>
    private static IEnumerable<Step> Read(Run run)
    {
        while (true)
        {
            Task<ReadResult> read = null!;
            if (!run.Succeeds(() => read = run.Reader.ReadAsync().AsTask()))
            {
                yield break;
            }

            // Not asked of the task later: the end of the request completes it on the thread pool.
            var isCompleted = read.IsCompleted;
            yield return Step.Until(
                () => isCompleted || run.IsOver || run.Request.WaitingContinuations > 0,
                isCompleted ? "reads" : "waits");
            run.Request.RunContinuations();
            ReadResult result = default;
            if (!run.Succeeds(() => result = read.WaitAsync(Deadline.Default).GetAwaiter().GetResult()))
            {
                yield break;
            }

            yield return "took";
            run.Advance(result);
            if (result.IsCompleted)
            {
                yield break;
            }

            yield return "advanced";
        }
    }

    private static IEnumerable<Step> WriteAndPause(Run run)
    {
        for (var i = 0; i < 3; i++)
        {
            run.Request.Write(new string('x', 10));
            yield return "wrote";
            if (run.Request.Body.TryPause(mayPause: true))
            {
                var before = run.Pauses++;
                yield return Step.Until(() => run.Request.Resumes > before, "paused");
            }
        }

        run.Request.Body.End();
    }

    private sealed class Run
    {
        public Run() => Reader = Request.NewReader();

        public ScriptedRequest Request { get; } = new(bufferSize: 10);

        public RequestBodyReader Reader { get; }

        public RequestBodyReader? Next { get; set; }

        public string Text { get; private set; } = "";

        public bool IsOver { get; set; }

        public int Pauses { get; set; }

        public int Cancelled { get; set; }

        public Exception? Failure { get; private set; }

        /// <summary>False: the step failed, and not for want of time.</summary>
        public bool Succeeds(Action step)
        {
            Failure = Record.Exception(step);
            Assert.IsNotType<TimeoutException>(Failure);
            return Failure is null;
        }

        public void Advance(ReadResult result)
        {
            Cancelled += result.IsCanceled ? 1 : 0;
            Text += ScriptedRequest.TextOf(result);
            Reader.AdvanceTo(result.Buffer.End);
        }
    }
}
