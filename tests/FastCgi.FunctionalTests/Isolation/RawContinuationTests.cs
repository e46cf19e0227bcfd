namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// What an application registers on a read or a flush without <c>await</c>, as libraries with awaiters of their own do.
/// The server may run it on the thread that serves the sockets of all clients.
/// </summary>
public sealed class RawContinuationTests : FunctionalTest
{
    /// <summary>Longer than the buffers of a socket.</summary>
    private const int Much = 20_000_000;

    private static readonly AsyncLocal<string?> s_local = new();

    private readonly SyncPoint _registered = "the registration of what comes behind";
    private readonly SyncPoint _called = "what comes behind";

    public static MatrixTheoryData<ServerTransport, bool> Ways { get; } = new(Transports.All, [true, false]);

    public static MatrixTheoryData<ServerTransport, bool, bool> Cancelled { get; } =
        new(Transports.All, [true, false], [false, true]);

    [Theory, MemberData(nameof(Cancelled))]
    public async Task An_exception_behind_a_read_or_a_flush_is_the_applications(
        ServerTransport transport, bool isRead, bool isCancelled)
    {
        Action? cancel = null;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            cancel = isRead
                ? context.Request.BodyReader.CancelPendingRead
                : context.Response.BodyWriter.CancelPendingFlush;
            return RegisterAsync(context, Throw);
        });
        await RegisterAsync(peer, isRead);
        if (isCancelled)
        {
            cancel!();
            await _called.WaitAsync();
        }

        await AssertAnsweredAsync(peer, isRead);
        Logs.ExpectError(ContinuationFailed);
        var entry = await Logs.WaitForAsync(ContinuationFailed);
        Assert.Contains("by the application", entry.Message, StringComparison.Ordinal);
        Assert.IsType<InvalidOperationException>(entry.Exception);
        await AssertServesAsync(peer);
    }

    [Theory, MemberData(nameof(Ways))]
    public async Task What_it_leaves_on_the_thread_is_gone_in_the_next_request(ServerTransport transport, bool isRead)
    {
        const int Requests = 10;
        var states = new List<string>();
        var peer = await StartAndConnectAsync(
            transport,
            context => _called.IsReached ? Look(states)(context) : RegisterAsync(context, Litter),
            options => options.ThreadCount = 1);
        await RegisterAsync(peer, isRead);
        await AssertAnsweredAsync(peer, isRead);

        for (var i = 0; i < Requests; i++)
        {
            await AssertServesAsync(peer);
        }

        Assert.Equal(Enumerable.Repeat("  False Normal True", Requests), states);
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

    private void Throw() => throw new InvalidOperationException("behind");

    /// <summary>Sends a request, and returns when its handler has registered what comes behind.</summary>
    private async Task RegisterAsync(ScriptedPeer peer, bool isRead)
    {
        await peer.SendAsync(isRead ? BeginPost(3) : Get());
        await _registered.WaitAsync();
    }

    private static async Task AssertAnsweredAsync(ScriptedPeer peer, bool isRead)
    {
        var response = isRead ? await peer.RoundTripAsync(EndBody("abc"u8)) : await peer.ExpectResponseAsync();
        Assert.Equal((200, isRead ? 0 : Much), (response.StatusCode, response.Body.Length));
    }

    /// <summary>Once: on a read that waits or, without a body, on a flush of more than the socket takes.</summary>
    private Task RegisterAsync(HttpContext context, Action behind)
    {
        if (_registered.IsReached)
        {
            return Task.CompletedTask;
        }

        if (HttpMethods.IsPost(context.Request.Method))
        {
            return RegisterAsync(context.Request.BodyReader.ReadAsync(), behind);
        }

        context.Response.BodyWriter.GetMemory(Much);
        context.Response.BodyWriter.Advance(Much);
        return RegisterAsync(context.Response.BodyWriter.FlushAsync(), behind);
    }

    /// <summary>Answers when what comes behind has been called.</summary>
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
}
