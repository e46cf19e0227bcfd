namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// What an application registers on a read or a flush without <c>await</c>, as libraries with awaiters of their own do.
/// The server may run it on the thread that serves the sockets of all clients.
/// </summary>
public sealed class RawContinuationTests : FunctionalTest
{
    private const int Much = 20_000_000;

    private static readonly AsyncLocal<string?> s_local = new();

    private readonly SyncPoint _registered = "the registration of what comes behind";
    private readonly SyncPoint _called = "what comes behind";

    public static MatrixTheoryData<ServerTransport, bool> Cancelled { get; } = new(Transports.All, [false, true]);

    [Theory, MemberData(nameof(Cancelled))]
    public async Task An_exception_behind_a_read_is_the_applications(ServerTransport transport, bool isCancelled)
    {
        PipeReader? reader = null;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            reader = context.Request.BodyReader;
            return Read(Throw)(context);
        });
        await peer.SendAsync(BeginPost(3));
        await _registered.WaitAsync();
        if (isCancelled)
        {
            reader!.CancelPendingRead();
            await _called.WaitAsync();
        }

        await peer.SendAsync(EndBody("abc"u8));

        await AssertOnlyLoggedAsync();
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertServesAsync(peer);
    }

    [Theory, MemberData(nameof(Cancelled))]
    public async Task An_exception_behind_a_flush_is_the_applications(ServerTransport transport, bool isCancelled)
    {
        PipeWriter? writer = null;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            writer = context.Response.BodyWriter;
            return Flush(Throw)(context);
        });
        await peer.SendRequestAsync();
        await _registered.WaitAsync();
        if (isCancelled)
        {
            writer!.CancelPendingFlush();
            await _called.WaitAsync();
        }

        Assert.Equal(Much, (await peer.ExpectResponseAsync()).Body.Length);
        await AssertOnlyLoggedAsync();
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_it_leaves_on_the_thread_behind_a_read_is_gone_in_the_next_request(ServerTransport transport)
    {
        var states = new List<string>();
        var peer = await StartAndConnectAsync(transport, ReadOrLook(states), options => options.ThreadCount = 1);
        await peer.SendAsync(BeginPost(3));
        await _registered.WaitAsync();
        await peer.SendAsync(EndBody("abc"u8));
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);

        await AssertCleanAsync(peer, states);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_it_leaves_on_the_thread_behind_a_flush_is_gone_in_the_next_request(ServerTransport transport)
    {
        var states = new List<string>();
        var peer = await StartAndConnectAsync(transport, FlushOrLook(states), options => options.ThreadCount = 1);
        await peer.SendRequestAsync();
        await _registered.WaitAsync();
        Assert.Equal(Much, (await peer.ExpectResponseAsync()).Body.Length);

        await AssertCleanAsync(peer, states);
    }

    private static RequestDelegate Look(List<string> states) => Run(context =>
    {
        var thread = Thread.CurrentThread;
        states.Add(
            $"{SynchronizationContext.Current?.GetType().Name} {s_local.Value} {thread.Name == "mine"} "
            + $"{thread.Priority} {thread.IsBackground}");
    });

    private static void Litter()
    {
        SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        s_local.Value = "mine";
        Thread.CurrentThread.Name = "mine";
        Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
        Thread.CurrentThread.IsBackground = false;
    }

    private static async Task AssertCleanAsync(ScriptedPeer peer, List<string> states)
    {
        const int Requests = 10;
        for (var i = 0; i < Requests; i++)
        {
            await AssertServesAsync(peer);
        }

        Assert.Equal(Enumerable.Repeat("  False Normal True", Requests), states);
    }

    private void Throw() => throw new InvalidOperationException("behind");

    private RequestDelegate ReadOrLook(List<string> states) => context =>
        HttpMethods.IsPost(context.Request.Method) ? Read(Litter)(context) : Look(states)(context);

    private RequestDelegate FlushOrLook(List<string> states) => context =>
        _called.IsReached ? Look(states)(context) : Flush(Litter)(context);

    /// <summary>Registers <paramref name="behind"/> on a read that waits, and answers when that has been called.</summary>
    private RequestDelegate Read(Action behind) => context => HttpMethods.IsPost(context.Request.Method)
        ? RegisterAsync(context.Request.BodyReader.ReadAsync(), behind)
        : Task.CompletedTask;

    /// <summary>As <see cref="Read"/>, on a flush of more than the socket takes. Once.</summary>
    private RequestDelegate Flush(Action behind) => context =>
    {
        if (_registered.IsReached)
        {
            return Task.CompletedTask;
        }

        // Longer than the buffers of a socket.
        context.Response.BodyWriter.GetMemory(Much);
        context.Response.BodyWriter.Advance(Much);
        return RegisterAsync(context.Response.BodyWriter.FlushAsync(), behind);
    };

    private async Task RegisterAsync<T>(ValueTask<T> task, Action behind)
    {
        var awaiter = task.GetAwaiter();
        Assert.False(awaiter.IsCompleted);
        awaiter.UnsafeOnCompleted(() =>
        {
            _ = awaiter.GetResult();
            _called.Reach();
            behind();
        });
        _registered.Reach();
        await _called.WaitAsync();
    }

    private async Task AssertOnlyLoggedAsync()
    {
        Logs.ExpectError(ContinuationFailed);
        var entry = await Logs.WaitForAsync(ContinuationFailed);
        Assert.Contains("by the application", entry.Message, StringComparison.Ordinal);
        Assert.IsType<InvalidOperationException>(entry.Exception);
    }
}
