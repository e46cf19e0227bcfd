using FastCgi.Client.Connections.Multiplexing;
using FastCgi.Client.Tests.Harness;
using FastCgi.Protocol;

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
        (DuplexStream client, DuplexStream end) = DuplexStream.Pair(Window);
        var application = new ApplicationConnection(end);
        using var multiplexer = new Multiplexer(client, most: 2, createdAt: 0);
        using var first = multiplexer.TryOpen()!;
        byte[] large = RecordOf(RecordType.Stdin, id: 1, length: 2 * Window);
        Task blocked = first.WriteAsync(large).AsTask();
        using (var second = multiplexer.TryOpen()!)
        {
            using var cancellation = new CancellationTokenSource();
            Task waiting = second.WriteAsync(s_begin, cancellation.Token).AsTask();
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.Within("an end"));
        }

        using var third = multiplexer.TryOpen();
        Assert.NotNull(third);
        await ExpectNothingBehindAsync(application, blocked, first);
    }

    [Fact]
    public async Task A_request_that_is_disposed_before_its_turn_does_not_begin()
    {
        (DuplexStream client, DuplexStream end) = DuplexStream.Pair(Window);
        var application = new ApplicationConnection(end);
        using var multiplexer = new Multiplexer(client, most: 2, createdAt: 0);
        using var first = multiplexer.TryOpen()!;
        byte[] large = RecordOf(RecordType.Stdin, id: 1, length: 2 * Window);
        Task blocked = first.WriteAsync(large).AsTask();
        var second = multiplexer.TryOpen()!;
        Task waiting = second.WriteAsync(s_begin).AsTask();
        await second.DisposeAsync();
        await ExpectNothingBehindAsync(application, blocked, first);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.Within("an end"));
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
        Task flush = stream.FlushAsync(isEndOfRequest: true).AsTask();
        Assert.False(flush.IsCompleted);
        await stream.WriteAsync(s_begin);
        await stream.ReadAtLeastAsync(new byte[2 * 1024 * 1024], 1024 * 1024).AsTask().Within("the response");
        await flush.Within("the flush");

        await stream.DisposeAsync();
        Assert.Equal([RecordType.BeginRequest, RecordType.BeginRequest, RecordType.AbortRequest], connection.Sent);
        Assert.Empty(connection.Freed);
        Append(stream, RecordOf(RecordType.EndRequest, id: 2, length: 8));
        await stream.FlushAsync(isEndOfRequest: true);
        Assert.Equal([2], connection.Freed);
    }

    /// <summary>What comes behind the send that was blocked is the next record of the same stream.</summary>
    private static async Task ExpectNothingBehindAsync(
        ApplicationConnection application, Task blocked, MultiplexedStream first)
    {
        Assert.Equal(2 * Window, (await application.ExpectRecordAsync()).Content.Length);
        await blocked.Within("the first send");
        await first.WriteAsync(RecordOf(RecordType.Stdin, id: 1, length: 0)).AsTask().Within("another send");
        var last = await application.ExpectRecordAsync();
        Assert.Equal(((int)RecordType.Stdin, 1, 0), (last.Type, last.RequestId, last.Content.Length));
    }

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

    private sealed class RecordedConnection : ISharedConnection
    {
        public List<RecordType> Sent { get; } = [];

        public List<ushort> Freed { get; } = [];

        public ValueTask SendAsync(
            IRecordSender sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken)
        {
            sender.OnSending(records.Span);
            Sent.Add((RecordType)records.Span[1]);
            return default;
        }

        public void Free(ushort id) => Freed.Add(id);
    }
}
