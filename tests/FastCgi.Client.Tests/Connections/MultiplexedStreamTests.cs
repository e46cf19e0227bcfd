using FastCgi.Client.Connections.Multiplexing;

namespace FastCgi.Client.Tests.Connections;

/// <summary>When the id of a stream is in use, and when it is free again.</summary>
public sealed class MultiplexedStreamTests
{
    private const int Window = 4096;

    private static readonly byte[] s_begin = RecordOf(RecordType.BeginRequest, id: 2, length: 8);

    /// <summary>The application knows nothing of it, so it would never end a request that is aborted.</summary>
    [Fact]
    public async Task A_request_that_is_cancelled_before_its_turn_leaves_its_id_free()
    {
        using var connection = new BlockedConnection();
        using (var second = connection.Open())
        {
            using var cancellation = new CancellationTokenSource();
            Task waiting = second.WriteAsync(s_begin, cancellation.Token).AsTask();
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.Within("an end"));
        }

        using var third = connection.Open();
        await connection.ExpectNothingBehindAsync();
    }

    [Fact]
    public async Task A_request_that_is_disposed_before_its_turn_does_not_begin()
    {
        using var connection = new BlockedConnection();
        var second = connection.Open();
        Task waiting = second.WriteAsync(s_begin).AsTask();
        await second.DisposeAsync();
        await connection.ExpectNothingBehindAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.Within("an end"));
    }

    /// <summary>A cancellation that nobody asked for would be taken for a timeout.</summary>
    [Fact]
    public async Task A_read_under_which_its_stream_is_disposed_says_so()
    {
        var stream = new MultiplexedStream(new RecordedConnection(), requestId: 1);
        Task<int> reading = stream.ReadAsync(new byte[1]).AsTask();
        await stream.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => reading.Within("an end"));
    }

    [Fact]
    public async Task A_reader_learns_of_the_end_of_a_connection_whose_disposal_throws()
    {
        var connection = Faulty(static () => default);
        using var multiplexer = new Multiplexer(connection, most: 2, createdAt: 0, "app");
        using var stream = multiplexer.TryOpen()!;
        Task<int> reading = stream.ReadAsync(new byte[1]).AsTask();
        multiplexer.Dispose();
        await Assert.ThrowsAsync<IOException>(() => reading.Within("an end"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_send_throws_that_nobody_waits_for_is_observed(bool isAbort)
    {
        const string Message = "thrown behind the end of the request";
        await UnobservedExceptions.AssertNoneAsync(Message, () => UseAsync(isAbort));

        static async Task UseAsync(bool isAbort)
        {
            var failure = new TaskCompletionSource();
            int sends = 0;
            var connection = Faulty(() => ++sends == 1 && isAbort ? default : new(failure.Task));
            using var multiplexer = new Multiplexer(connection, most: 2, createdAt: 0, "app");
            using var other = multiplexer.TryOpen();
            using (var stream = multiplexer.TryOpen()!)
            {
                using var cancellation = new CancellationTokenSource();
                Task sending = stream.WriteAsync(s_begin, cancellation.Token).AsTask();
                await cancellation.CancelAsync();
                Exception? thrown = await Record.ExceptionAsync(() => sending.Within("an end"));
                Assert.Equal(!isAbort, thrown is OperationCanceledException);
            }

            failure.SetException(new InvalidTimeZoneException(Message));
        }
    }

    /// <summary>Half a record may be on the wire.</summary>
    [Fact]
    public async Task Nothing_follows_a_send_that_failed()
    {
        int sends = 0;
        var connection = Faulty(() =>
        {
            sends++;
            return ValueTask.FromException(new IOException("no write"));
        });
        using var multiplexer = new Multiplexer(connection, most: 3, createdAt: 0, "app");
        using var first = multiplexer.TryOpen()!;
        using var second = multiplexer.TryOpen()!;
        await Assert.ThrowsAsync<IOException>(() => first.WriteAsync(s_begin).AsTask().Within("an error"));
        await Assert.ThrowsAsync<IOException>(() => second.WriteAsync(s_begin).AsTask().Within("an error"));
        Assert.Equal(1, sends);
        Assert.Equal(0, second.Renew());
        Assert.Null(multiplexer.TryOpen());
    }

    /// <summary>An application may answer a request after its end, if that was aborted.</summary>
    [Fact]
    public void No_id_is_given_twice()
    {
        (DuplexStream client, _) = DuplexStream.Pair();
        using var multiplexer = new Multiplexer(client, most: 2, createdAt: 0, "app");
        using var first = multiplexer.TryOpen();
        for (int id = 2; id <= FastCgiConstants.MaxRequestId; id++)
        {
            using var next = multiplexer.TryOpen();
            Assert.Equal((ushort)id, next!.RequestId);
        }

        Assert.Null(multiplexer.TryOpen());
    }

    /// <summary>The reader can have the end, and begin the next request, before the flush returns.</summary>
    [Fact]
    public async Task The_end_of_a_request_does_not_end_the_next_one()
    {
        var connection = new RecordedConnection();
        var stream = new MultiplexedStream(connection, requestId: 2);
        await stream.WriteAsync(s_begin);
        for (int i = 0; i < 20; i++)
        {
            Append(stream, RecordOf(RecordType.Stdout, id: 2, length: 60_000));
        }

        Append(stream, RecordOf(RecordType.EndRequest, id: 2, length: 8));
        Task flush = stream.DeliverAsync().AsTask();
        Assert.False(flush.IsCompleted);
        await stream.WriteAsync(s_begin);
        await stream.ReadAtLeastAsync(new byte[2 * 1024 * 1024], 1024 * 1024).AsTask().Within("the response");
        await flush.Within("the flush");

        await stream.DisposeAsync();
        Assert.Equal([RecordType.BeginRequest, RecordType.BeginRequest, RecordType.AbortRequest], connection.Sent);
        Assert.Empty(connection.Freed);
        Append(stream, RecordOf(RecordType.EndRequest, id: 2, length: 8));
        await stream.DeliverAsync();
        Assert.Equal([2], connection.Freed);
    }

    /// <summary>The router waits for the stalled reader, with the end of the other request in its hands.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_that_has_ended_counts_no_longer_while_another_stalls(bool isFollowed)
    {
        var connection = new RecordedConnection();
        var (slow, quick) = (new MultiplexedStream(connection, 1), new MultiplexedStream(connection, requestId: 2));
        var router = new RecordRouter(id => id == 1 ? slow : quick);
        await quick.WriteAsync(s_begin);
        Task routing = router.RouteAsync((byte[])
        [
            .. RecordOf(RecordType.Stdout, id: 2, length: 10),
            .. Enumerable.Range(0, 20).SelectMany(static _ => RecordOf(RecordType.Stdout, id: 1, length: 60_000)),
            .. RecordOf(RecordType.EndRequest, id: 2, length: 8),
        ]).AsTask();
        await quick.ReadExactlyAsync(new byte[34]).AsTask().Within("the response that has ended");
        Assert.False(routing.IsCompleted);
        if (isFollowed)
        {
            await quick.WriteAsync(s_begin);
            await slow.ReadAtLeastAsync(new byte[2 * 1024 * 1024], 1024 * 1024).AsTask().Within("the other response");
            await routing.Within("the flush");
        }

        await quick.DisposeAsync();
        RecordType[] expected = isFollowed ? [RecordType.BeginRequest, RecordType.AbortRequest] : [];
        Assert.Equal([RecordType.BeginRequest, .. expected], connection.Sent);
        Assert.Empty(connection.Freed);
    }

    /// <summary>A connection that receives nothing and cannot be closed.</summary>
    private static PeerStream Faulty(Func<ValueTask> send) => new()
    {
        OnWrite = (_, _) => send(),
        OnDispose = static () => throw new InvalidTimeZoneException("broken"),
    };

    private static byte[] RecordOf(RecordType type, int id, int length) =>
        new RecordBuilder().Record((int)type, id, new byte[length]).ToArray();

    private static void Append(MultiplexedStream stream, ReadOnlySpan<byte> record)
    {
        var reader = new RecordReader();
        while (reader.TryRead(ref record, out RecordPart part))
        {
            stream.Append(in part);
        }
    }

    /// <summary>A connection for two requests, whose first sends more than the application takes.</summary>
    private sealed class BlockedConnection : IDisposable
    {
        private readonly ApplicationConnection _application;
        private readonly Multiplexer _multiplexer;
        private readonly MultiplexedStream _first;
        private readonly Task _blocked;

        public BlockedConnection()
        {
            (DuplexStream client, DuplexStream end) = DuplexStream.Pair(Window);
            _application = new ApplicationConnection(end);
            _multiplexer = new Multiplexer(client, most: 2, createdAt: 0, "app");
            _first = Open();
            _blocked = _first.WriteAsync(RecordOf(RecordType.Stdin, id: 1, length: 2 * Window)).AsTask();
        }

        /// <summary>The stream of a further request; there is an id for it.</summary>
        public MultiplexedStream Open()
        {
            MultiplexedStream? stream = _multiplexer.TryOpen();
            Assert.NotNull(stream);
            return stream;
        }

        /// <summary>What comes behind the send that was blocked is the next record of the same stream.</summary>
        public async Task ExpectNothingBehindAsync()
        {
            Assert.Equal(2 * Window, (await _application.ExpectRecordAsync()).Content.Length);
            await _blocked.Within("the first send");
            await _first.WriteAsync(RecordOf(RecordType.Stdin, id: 1, length: 0)).AsTask().Within("another send");
            var last = await _application.ExpectRecordAsync();
            Assert.Equal(((int)RecordType.Stdin, 1, 0), (last.Type, last.RequestId, last.Content.Length));
        }

        public void Dispose()
        {
            _first.Dispose();
            _multiplexer.Dispose();
        }
    }

    private sealed class RecordedConnection : ISharedConnection
    {
        public List<RecordType> Sent { get; } = [];

        public List<ushort> Freed { get; } = [];

        public ValueTask SendAsync(
            MultiplexedStream sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken)
        {
            sender.OnSending(records.Span);
            Sent.Add((RecordType)records.Span[1]);
            return default;
        }

        public ushort Renew(MultiplexedStream stream) => 0;

        public bool Leave(ushort id, bool isBusy) => isBusy;

        public void Free(ushort id) => Freed.Add(id);
    }
}
