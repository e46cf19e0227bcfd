using System.IO.Compression;

namespace FastCgi.FunctionalTests.Responses;

public sealed class ResponseStreamTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task A_large_body_arrives_whole(ServerTransport transport)
    {
        var body = new byte[3_000_000];
        new Random(3).NextBytes(body);

        var response = await RespondAsync(transport, context =>
        {
            context.Response.ContentLength = body.Length;
            return context.Response.Body.WriteAsync(body).AsTask();
        });

        Assert.Equal(body, response.Body);
        Assert.Equal($"{body.Length}", response.Header("Content-Length"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_cancelled_write_throws_and_writes_nothing(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            await context.Response.WriteAsync("before");
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => context.Response.Body.WriteAsync(new byte[10], new CancellationToken(canceled: true)).AsTask());
            await context.Response.WriteAsync(" after");
        });

        Assert.Equal("before after", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_flush_that_waits_can_be_cancelled_which_aborts(ServerTransport transport)
    {
        SyncPoint cancelled = "the cancelled write";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            using var source = new CancellationTokenSource();
            var write = context.Response.Body.WriteAsync(new byte[20_000_000], source.Token).AsTask();
            Assert.False(write.IsCompleted);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write);
            cancelled.Reach();
        });

        await peer.SendRequestAsync();
        await cancelled.WaitAsync();

        await peer.ExpectClosedAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_peer_that_does_not_read_makes_the_flush_wait(ServerTransport transport)
    {
        const int Size = 20_000_000;
        SyncPoint waiting = "the write";
        Task? write = null;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            write = context.Response.Body.WriteAsync(new byte[Size]).AsTask();
            Assert.False(write.IsCompleted);
            waiting.Reach();
            await write;
        });

        await peer.SendRequestAsync();
        await waiting.WaitAsync();
        Assert.False(write!.IsCompleted);

        Assert.Equal(Size, (await peer.ExpectResponseAsync()).Body.Length);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Begin_and_end_of_a_write_work(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            var body = context.Response.Body;
            return Task.Factory.FromAsync(body.BeginWrite, body.EndWrite, "12345"u8.ToArray(), 1, 3, null);
        });

        Assert.Equal("234", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_stream_cannot_be_read_or_sought(ServerTransport transport)
    {
        await RespondAsync(transport, context =>
        {
            var body = context.Response.Body;
            Assert.Same(body, context.Response.Body);
            Assert.True(body.CanWrite);
            Assert.False(body.CanRead);
            Assert.False(body.CanSeek);
            Assert.ThrowsAny<NotSupportedException>(() => body.ReadByte());
            Assert.Throws<NotSupportedException>(() => body.Seek(0, SeekOrigin.Begin));
            Assert.Throws<NotSupportedException>(() => body.SetLength(0));
            Assert.Throws<NotSupportedException>(() => body.Length);
            Assert.ThrowsAny<ArgumentException>(() => { body.BeginWrite([1], 0, 2, null, null); });
            return Task.CompletedTask;
        });
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Can_be_wrapped_by_middleware(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            var original = context.Response.Body;
            await using (var compressed = new GZipStream(original, CompressionLevel.Fastest, leaveOpen: true))
            {
                context.Response.Body = compressed;
                Assert.Same(compressed, context.Response.Body);
                context.Response.Headers.ContentEncoding = "gzip";
                await context.Response.WriteAsync("compressed");
                await context.Response.BodyWriter.FlushAsync();
            }

            context.Response.Body = original;
            Assert.Same(original, context.Response.Body);
        });

        using var reader = new StreamReader(new GZipStream(new MemoryStream(response.Body), CompressionMode.Decompress));
        Assert.Equal("compressed", await reader.ReadToEndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Replaced_by_a_buffer_nothing_starts(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            var original = context.Response.Body;
            using var buffer = new MemoryStream();
            context.Response.Body = buffer;
            await context.Response.WriteAsync("buffered");
            await context.Response.BodyWriter.WriteAsync(" too"u8.ToArray());
            context.Response.Body = original;
            Assert.False(context.Response.HasStarted);
            context.Response.ContentLength = buffer.Length;
            buffer.Position = 0;
            await buffer.CopyToAsync(context.Response.Body);
        });

        Assert.Equal(("buffered too", "12"), (response.BodyText, response.Header("Content-Length")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_ends_the_response_while_the_handler_goes_on(ServerTransport transport)
    {
        SyncPoint goOn = "the test to let the handler go on";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("whole");
            await context.Response.CompleteAsync();
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => context.Response.WriteAsync("more"));
            if (context.Request.Path == "/slow")
            {
                await goOn.WaitAsync();
            }
        });

        var response = await peer.RoundTripAsync(Get("/slow"));
        Assert.Equal((0, "whole"), (response.ProtocolStatus, response.BodyText));

        // The id is free though its handler still runs.
        Assert.Equal("whole", (await peer.RoundTripAsync(Get())).BodyText);
        goOn.Reach();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_stream_kept_beyond_the_request_is_dead(ServerTransport transport)
    {
        Stream? kept = null;
        SyncPoint over = "the end of the first request";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (kept is null)
            {
                kept = context.Response.Body;
                context.Response.OnCompleted(() => Task.Run(over.Reach));
                return;
            }

            await over.WaitAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => kept.WriteAsync(new byte[1]).AsTask());
            await context.Response.WriteAsync("mine");
        });

        await peer.RoundTripAsync(Get());

        Assert.Equal("mine", (await peer.RoundTripAsync(Get())).BodyText);
    }
}
