namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>
/// What changes the requests of a connection does it under the gate: what another thread does to them, as a stop that
/// gives up waiting, comes before it or after it.
/// </summary>
public sealed class ConnectionGateTests : IDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly ScriptedTransport _transport = new();
    private WaitingCall? _abort;

    public void Dispose() => _server.Dispose();

    [Fact]
    public void A_response_that_breaks_off()
    {
        Connect(async context =>
        {
            await context.Response.WriteAsync("hel");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
        AbortWhenLogged(LogEvents.ResponseTorn);
        Receive();
        AssertWaited();
    }

    /// <summary>The peer may begin a request while the last one is sent. An abort would wait for the send alone.</summary>
    [Fact]
    public async Task The_end_of_a_response()
    {
        var mayEnd = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var hasSent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Connect(_ => mayEnd.Task);
        Receive();
        WaitingCall? begin = null;
        _transport.InSend = () =>
        {
            begin ??= WaitingCall.Start(() => Receive(new RecordBuilder().Begin(2)));
            hasSent.TrySetResult();
        };
        mayEnd.SetResult();
        await hasSent.Task.Within("the answer");
        AssertWaited(begin);
        AssertOpen(1);
    }

    [Fact]
    public void Records_that_have_come()
    {
        Connect(static context => Task.Delay(Timeout.Infinite, context.RequestAborted));
        Receive();
        AbortWhenLogged(LogEvents.PeerAborted);
        Receive(new RecordBuilder().Abort());
        AssertWaited();
        Assert.Equal(RecordWriter.EndRequestRecordSize, _transport.Sent.Count);
    }

    /// <summary>The abort comes when the text has found the response open, and has not been sent.</summary>
    [Fact]
    public void Text_for_the_error_log_does_not_follow_the_end()
    {
        var pool = new RentingPool();
        _server.Buffers = pool;
        Connect(async context =>
        {
            pool.InRent = () => Receive(new RecordBuilder().Abort());
            var fastCgi = context.Features.GetRequiredFeature<IFastCgiRequestFeature>();
            await fastCgi.WriteErrorAsync("late"u8.ToArray());
        });
        Receive();
        Assert.Null(pool.InRent);
        Assert.Equal(RecordWriter.EndRequestRecordSize, _transport.Sent.Count);
        AssertOpen(0);
    }

    /// <summary>Of the abort and the application, the last one gives the request back, and it does so once.</summary>
    [Fact]
    public void The_application_of_an_aborted_request_that_leaves()
    {
        var mayEnd = new TaskCompletionSource();
        Connect(_ => mayEnd.Task);
        Receive();
        WaitingCall? leave = null;
        _transport.InSend = () => leave ??= WaitingCall.Start(mayEnd.SetResult);
        Receive(new RecordBuilder().Abort());
        AssertWaited(leave);
        AssertOpen(0);
    }

    /// <summary>The abort of the first request has been asked for before its end, and goes on behind it.</summary>
    [Fact]
    public async Task An_abort_that_comes_late_tears_no_other_request()
    {
        var isAborting = new Latch();
        var goOn = new Latch();
        var mayEnd = new TaskCompletionSource();
        Task? abort = null;
        _server.Logs.OnEntry = entry =>
        {
            if (entry.EventId.Id == LogEvents.ApplicationAbortedConnection)
            {
                isAborting.Set();
                goOn.Wait();
            }
        };
        Connect(async context =>
        {
            if (abort is null)
            {
                abort = Task.Run(context.Abort);
                isAborting.Wait();
                return;
            }

            await mayEnd.Task;
            await context.Response.WriteAsync("hello");
        });
        Receive();
        Receive();

        goOn.Set();
        await abort!.Within("the late abort");
        mayEnd.SetResult();

        Assert.Contains("hello", _transport.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("close", _transport.Calls);
        AssertOpen(0);
    }

    private void Connect(RequestDelegate application)
    {
        _server.Application = application;
        _server.Accept(_transport);
    }

    private void Receive(RecordBuilder? records = null) =>
        _transport.Bring(records ?? new RecordBuilder().Request(new RequestScript()));

    private void AbortWhenLogged(int eventId) => _server.Logs.OnEntry = entry =>
        _abort ??= entry.EventId.Id == eventId ? WaitingCall.Start(_server.Connections.AbortAll) : null;

    private void AssertWaited()
    {
        AssertWaited(_abort);
        Assert.Contains("close", _transport.Calls);
        AssertOpen(0);
    }

    private static void AssertWaited(WaitingCall? call)
    {
        Assert.NotNull(call);
        Assert.True(call.HasWaited);
        Assert.True(call.Ends());
    }

    /// <summary>A request is open until its application has left.</summary>
    private void AssertOpen(int requests) =>
        Assert.True(SpinWait.SpinUntil(() => _server.Connections.Server.OpenRequests == requests, Deadline.Default));

    private sealed class RentingPool : BufferPool
    {
        /// <summary>Runs inside the next <see cref="Rent"/>.</summary>
        public Action? InRent { get; set; }

        public override byte[] Rent(int minimumLength)
        {
            var now = InRent;
            InRent = null;
            now?.Invoke();
            return base.Rent(minimumLength);
        }
    }
}
