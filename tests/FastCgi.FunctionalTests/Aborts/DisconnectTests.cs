using Microsoft.AspNetCore.Connections;

namespace FastCgi.FunctionalTests.Aborts;

public sealed class DisconnectTests : FunctionalTest
{
    private readonly SyncPoint _gone = "the end of the connection";

    public static MatrixTheoryData<ServerTransport, bool> LastBytes { get; } = new(Transports.All, [false, true]);

    [Theory, ClassData(typeof(AnyTransports))]
    public async Task A_closed_connection_cancels_RequestAborted(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, WaitForAbortAsync, Get());

        await peer.DisposeAsync();

        await Aborted.WaitAsync();
        Assert.Equal(499, await Logs.FinishedStatusAsync());

        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_read_of_the_body_fails_with_a_reset(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            Entered.Reach();
            await Assert.ThrowsAsync<ConnectionResetException>(
                async () => await context.Request.Body.CopyToAsync(Stream.Null));
            await Assert.ThrowsAnyAsync<IOException>(
                async () => await context.Request.Body.ReadExactlyAsync(new byte[1]));
            Left.Reach();
        }, BeginPost(100).Stdin(1, new byte[10]));

        await peer.DisposeAsync();

        await Left.WaitAsync();
    }

    [Fact]
    public async Task An_exception_because_of_it_is_no_error()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            Entered.Reach();
            await context.Request.Body.CopyToAsync(Stream.Null);
        }, BeginPost(100));

        await peer.DisposeAsync();

        await Logs.WaitForAsync(RequestAborted);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Writes_after_it_are_silent(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            await WaitForAbortAsync(context);
            await context.Response.Body.WriteAsync(new byte[200_000]);
            await context.Response.WriteAsync("nobody reads this");
            Assert.True((await context.Response.BodyWriter.WriteAsync(new byte[10])).IsCompleted);
            context.Response.BodyWriter.Write("scratch"u8);
            Assert.True((await context.Response.BodyWriter.FlushAsync()).IsCompleted);
            await context.Response.CompleteAsync();
            Left.Reach();
        }, Get());

        await peer.DisposeAsync();

        await Left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task It_is_seen_while_the_body_is_not_read(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(
            transport,
            WaitForAbortAsync,
            BeginPost(100_000).Stdin(1, new byte[50_000]),
            options => options.Limits.MaxRequestBufferSize = 1000);

        if (transport == ServerTransport.SocketsOnTcp)
        {
            // An orderly close hides behind the bytes that nobody reads: only epoll tells of it.
            peer.Reset();
        }
        else
        {
            await peer.DisposeAsync();
        }

        await Aborted.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task After_the_response_it_aborts_nothing(ServerTransport transport)
    {
        var isAborted = false;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.RequestAborted.Register(() => isAborted = true);
            context.Response.OnCompleted(async () =>
            {
                Entered.Reach();
                await _gone.WaitAsync();
                Left.Reach();
            });
            await context.Response.WriteAsync("whole");
        });
        await peer.RoundTripAsync(Get());
        await Entered.WaitAsync();

        await LeaveAsync(peer);
        _gone.Reach();

        await Left.WaitAsync();
        Assert.False(isAborted);
    }

    /// <summary>A client that has its whole answer may go: what the handler does behind the last byte goes on.</summary>
    [Theory, MemberData(nameof(LastBytes))]
    public async Task After_the_last_byte_it_aborts_nothing(ServerTransport transport, bool isCompleted)
    {
        var isAborted = new TaskCompletionSource<bool>();
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var aborted = context.RequestAborted;
            context.Response.ContentLength = isCompleted ? null : 5;
            await context.Response.WriteAsync("whole");
            if (isCompleted)
            {
                await context.Response.CompleteAsync();
            }

            Entered.Reach();
            await _gone.WaitAsync();
            isAborted.SetResult(aborted.IsCancellationRequested);
        });

        // An answer that is completed waits for the end of the upload, else it would end the request.
        await EnterAsync(peer, BeginPost(100).Stdin(1, "a part"u8));
        await LeaveAsync(peer);
        _gone.Reach();

        Assert.False(await isAborted.Task.Within("the handler"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Of_two_requests_that_end_together_none_is_lost_by_the_close(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));

        // The close of the one that ended first must not overtake the end of the other: a race, so many rounds.
        for (var round = 0; round < 300; round++)
        {
            await using var peer = await Server.ConnectAsync();
            await peer.SendAsync(new RecordBuilder()
                .Request(Get() with { Id = 1, KeepConnection = false })
                .Request(Get() with { Id = 2, KeepConnection = false })
                .Request(Get() with { Id = 3, KeepConnection = false }));

            var ended = (await peer.ExpectClosedAsync()).Where(record => record.Type == WireRecord.EndRequest);
            Assert.Equal([1, 2, 3], ended.Select(record => record.RequestId).Order());
        }
    }

    [Theory, ClassData(typeof(UnixTransports))]
    public async Task A_half_close_after_the_end_of_the_request_does_not_cut_what_is_unsent(ServerTransport transport)
    {
        const int Length = 1_000_000;
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                context.Response.OnCompleted(Left.Reach);

                // More than the socket takes. The limit is above it, so the write does not wait for the peer.
                await context.Response.Body.WriteAsync(new byte[Length]);
            },
            options => options.Limits.MaxResponseBufferSize = 2 * Length);

        await peer.SendRequestAsync();
        await Left.WaitAsync();
        peer.ShutdownSend();

        Assert.Equal(Length, (await peer.ExpectResponseAsync()).Body.Length);
    }

    private async Task LeaveAsync(ScriptedPeer peer)
    {
        await peer.DisposeAsync();
        await Logs.WaitForConnectionStopAsync();
    }
}
