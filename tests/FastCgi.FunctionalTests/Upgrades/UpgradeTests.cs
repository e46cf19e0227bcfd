using System.Security.Cryptography;

namespace FastCgi.FunctionalTests.Upgrades;

/// <summary>What goes through an upgraded connection, and how it ends.</summary>
public sealed class UpgradeTests : UpgradeTest
{
    private const int MoreThanFits = 3_000_000;

    [Theory, ClassData(typeof(Transports))]
    public async Task Bytes_go_both_ways_until_the_application_ends(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            await stream.WriteAsync("hello "u8.ToArray());
            await EchoAsync(stream);
        });

        await peer.SendAsync(UpgradeRequest);
        await peer.ExpectTextAsync(HeadOfUpgrade + "hello ");
        await peer.SendAsync("one"u8.ToArray());
        await peer.ExpectTextAsync("one");
        await peer.SendAsync("two."u8.ToArray());
        await peer.ExpectTextAsync("two.");
        await peer.ExpectEndOfStreamAsync();
        Assert.Contains(Logs.Entries, entry => entry.EventId.Id == ConnectionUpgraded);
    }

    /// <summary>A WebSocket is read from its first moment on, and its client may wait for the first word.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task The_head_leaves_though_the_application_reads_already(ServerTransport transport)
    {
        await StartScgiAsync(
            transport,
            async context =>
            {
                var stream = await UpgradeAsync(context);
                var reading = stream.ReadAsync(new byte[1]).AsTask();
                await stream.WriteAsync("welcome"u8.ToArray());
                Assert.Equal(1, await reading);
            },
            clock: Clock);
        var peer = await ConnectScgiAsync();

        await peer.SendAsync(UpgradeRequest);
        await peer.ExpectTextAsync(HeadOfUpgrade + "welcome");
        await peer.SendAsync("x"u8.ToArray());
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Megabytes_go_both_ways_at_the_same_time_without_a_limit_of_size(ServerTransport transport)
    {
        const int Size = 8_000_000;
        var down = RandomNumberGenerator.GetBytes(Size);
        var up = RandomNumberGenerator.GetBytes(Size);
        var received = new TaskCompletionSource<byte[]>();
        var peer = await StartUpgradedAsync(
            transport,
            async context =>
            {
                var stream = await UpgradeAsync(context);
                var sending = stream.WriteAsync(down).AsTask();
                var buffer = new byte[Size];
                await stream.ReadExactlyAsync(buffer);
                await sending;
                received.SetResult(buffer);
            },
            options => options.Limits.MaxRequestBodySize = 10);

        var sending = peer.SendAsync(up);
        Assert.Equal(down, await peer.ExpectBytesAsync(Size));
        await sending;
        Assert.Equal(up, await received.Task.Within("the upload"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_end_of_what_the_peer_sends_is_the_end_of_the_stream_behind_its_last_byte(ServerTransport transport)
    {
        var read = new TaskCompletionSource<string>();
        var peer = await StartUpgradedAsync(
            transport,
            async context =>
            {
                using var registration = context.RequestAborted.Register(Aborted.Reach);
                var stream = await UpgradeAsync(context);
                Entered.Reach();
                await GoOn.WaitAsync();
                using var all = new MemoryStream();
                await stream.CopyToAsync(all);
                read.SetResult(Encoding.ASCII.GetString(all.ToArray()));
                await Aborted.WaitAsync();
            },
            clock: Clock);

        await Entered.WaitAsync();
        await peer.SendAsync("the last word"u8.ToArray());
        peer.Socket.Shutdown(SocketShutdown.Both);
        peer.Socket.Dispose();
        GoOn.Reach();

        Assert.Equal("the last word", await read.Task.Within("the application's read"));
        // On a unix socket the heartbeat looks whether both directions have ended.
        await Clock.PassUntilAsync(Aborted.WaitAsync());
    }

    [Theory, ClassData(typeof(UnixTransports))]
    public async Task On_a_unix_socket_the_application_may_go_on_when_the_peer_ends_its_direction(ServerTransport transport)
    {
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            using var all = new MemoryStream();
            await stream.CopyToAsync(all);
            await stream.WriteAsync(all.ToArray());
        });

        await peer.SendAsync("answer me"u8.ToArray());
        peer.EndSending();

        await peer.ExpectTextAsync("answer me");
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(UnixTransports))]
    public async Task What_ended_before_the_upgrade_is_at_its_end_after_it(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            await GoOn.WaitAsync();
            var stream = await UpgradeAsync(context);
            await stream.WriteAsync(Encoding.ASCII.GetBytes($"read {await stream.ReadAsync(new byte[1])}"));
        });

        await peer.SendAsync(UpgradeRequest);
        peer.EndSending();
        GoOn.Reach();

        await peer.ExpectTextAsync(HeadOfUpgrade + "read 0");
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Hours_of_silence_end_nothing(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(
            transport,
            UpgradeAndEchoAsync,
            options => options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10),
            Clock);
        await peer.SendAsync(UpgradeRequest);
        await peer.ExpectTextAsync(HeadOfUpgrade);

        for (var minute = 0; minute < 120; minute++)
        {
            Clock.Advance(TimeSpan.FromMinutes(1));
        }

        await peer.SendAsync("still there."u8.ToArray());
        await peer.ExpectTextAsync("still there.");
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S14")]
    public async Task A_slow_reader_stops_the_peer_and_loses_nothing(ServerTransport transport)
    {
        var received = new TaskCompletionSource<byte[]>();
        var (peer, sent, fitted) = await FillAsync(transport, async stream =>
        {
            var buffer = new byte[MoreThanFits];
            await stream.ReadExactlyAsync(buffer);
            received.SetResult(buffer);
        });

        GoOn.Reach();
        await peer.SendAsync(sent.AsMemory(fitted));
        Assert.Equal(sent, await received.Task.Within("all of it"));
    }

    /// <summary>The heartbeat looks after a peer whose socket is not read.</summary>
    [Theory, ClassData(typeof(Transports))]
    public Task A_slow_reader_loses_nothing_when_the_peer_leaves(ServerTransport transport) =>
        AssertLosesNothingAsync(transport, static _ => ValueTask.CompletedTask);

    /// <summary>The write finds that the peer is gone. By TCP, its reset takes the unread bytes along.</summary>
    [Theory, ClassData(typeof(UnixTransports))]
    public Task A_slow_reader_that_writes_loses_nothing_when_the_peer_leaves(ServerTransport transport) =>
        AssertLosesNothingAsync(transport, static stream => stream.WriteAsync("x"u8.ToArray()));

    /// <summary>It sends for hours, to nobody.</summary>
    [Theory, ClassData(typeof(UnixTransports))]
    public async Task An_application_that_reads_nothing_loses_a_client_that_has_left_after_SendTimeout(
        ServerTransport transport)
    {
        var (peer, _, _) = await FillAsync(
            transport,
            async stream =>
            {
                await stream.WriteAsync("x"u8.ToArray());
                Left.Reach();
                await Aborted.WaitAsync();
            },
            Clock);
        var before = Clock.GetUtcNow();
        peer.Socket.Dispose();
        GoOn.Reach();
        await Left.WaitAsync();
        await Clock.PassUntilAsync(Aborted.WaitAsync());
        Assert.True(Clock.GetUtcNow() - before > TimeSpan.FromMinutes(5));
    }

    private async Task AssertLosesNothingAsync(ServerTransport transport, Func<Stream, ValueTask> before)
    {
        var received = new TaskCompletionSource<byte[]>();
        var (peer, sent, fitted) = await FillAsync(
            transport,
            async stream =>
            {
                using var all = new MemoryStream();
                await before(stream);
                await stream.CopyToAsync(all);
                received.SetResult(all.ToArray());
            },
            Clock);

        peer.Socket.Shutdown(SocketShutdown.Both);
        peer.Socket.Dispose();
        for (var beat = 0; beat < 3; beat++)
        {
            Clock.Advance(TimeSpan.FromSeconds(1));
        }

        GoOn.Reach();
        Assert.Equal(sent[..fitted], await received.Task.Within("all that fitted"));
    }

    /// <summary>To close a socket with unread bytes is a reset, by which the client loses the answer.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task What_the_application_did_not_read_does_not_cut_what_it_wrote(ServerTransport transport)
    {
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            await GoOn.WaitAsync();
            await stream.WriteAsync("goodbye"u8.ToArray());
        });

        await peer.SendAsync(new byte[100_000]);
        GoOn.Reach();

        await peer.ExpectTextAsync("goodbye");
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_large_write_that_is_not_awaited_arrives_whole(bool completes)
    {
        var content = RandomNumberGenerator.GetBytes(20_000_000);
        var peer = await StartUpgradedAsync(Transports.Usual, async context =>
        {
            var stream = await UpgradeAsync(context);
            _ = stream.WriteAsync(content).AsTask();
            if (completes)
            {
                await context.Response.CompleteAsync();
            }
        });

        Assert.Equal(content, await peer.ExpectBytesAsync(content.Length));
        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>As on Kestrel: the loop of a WebSocket that runs on beside its handler expects this exception.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_read_that_the_application_abandoned_ends_with_the_request(ServerTransport transport)
    {
        var abandoned = new TaskCompletionSource<Task>();
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            abandoned.SetResult(stream.ReadAsync(new byte[10]).AsTask());
        });

        await peer.ExpectEndOfStreamAsync();

        var read = await abandoned.Task;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.Within("the abandoned read"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_ends_the_connection(ServerTransport transport)
    {
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            await UpgradeAsync(context);
            context.Abort();
        });

        await ExpectBrokenOffAsync(peer, transport);
    }

    /// <summary>As on Kestrel: an end of the stream would say that the client had sent all.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Reads_fail_after_an_abort(ServerTransport transport)
    {
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            var waiting = stream.ReadAsync(new byte[1]).AsTask();
            context.Abort();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stream.ReadAsync(new byte[1]).AsTask());
            Left.Reach();
        });

        await ExpectBrokenOffAsync(peer, transport);
        await Left.WaitAsync();
    }

    /// <summary>As on Kestrel: a reset would take bytes along that the client has not received.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_ends_the_stream_behind_what_was_written(ServerTransport transport)
    {
        var aborted = new TaskCompletionSource<bool>();
        var peer = await StartUpgradedAsync(transport, async context =>
        {
            context.Response.OnCompleted(() =>
            {
                aborted.SetResult(context.RequestAborted.IsCancellationRequested);
                return Task.CompletedTask;
            });
            var stream = await UpgradeAsync(context);
            await stream.WriteAsync("goodbye"u8.ToArray());
            throw new InvalidOperationException("The test's own.");
        });
        Logs.ExpectError(ApplicationError);

        await peer.ExpectTextAsync("goodbye");
        await peer.ExpectEndOfStreamAsync();
        Assert.False(await aborted.Task.Within("OnCompleted"));
    }

    /// <summary>An upgraded connection that takes no more: its application reads when the test lets it go on.</summary>
    private async Task<(ScgiPeer Peer, byte[] Bytes, int Fitted)> FillAsync(
        ServerTransport transport, Func<Stream, Task> read, TimeProvider? clock = null)
    {
        var peer = await StartUpgradedAsync(
            transport,
            async context =>
            {
                context.RequestAborted.Register(Aborted.Reach);
                var stream = await UpgradeAsync(context);
                await GoOn.WaitAsync();
                await read(stream);
            },
            options => options.Limits.MaxRequestBufferSize = 100_000,
            clock);
        var bytes = RandomNumberGenerator.GetBytes(MoreThanFits);
        return (peer, bytes, SendWhatFits(peer.Socket, bytes));
    }

    private static int SendWhatFits(Socket socket, ReadOnlySpan<byte> bytes)
    {
        var sent = 0;
        socket.Blocking = false;
        while (sent < bytes.Length
            && socket.Send(bytes[sent..], SocketFlags.None, out var error) is var count
            && error == SocketError.Success)
        {
            sent += count;
        }

        socket.Blocking = true;
        return sent;
    }
}
