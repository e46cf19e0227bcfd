using System.IO.Compression;

namespace FastCgi.FunctionalTests.Responses;

public sealed class ResponseStreamTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task A_large_body_arrives_whole(ServerTransport transport)
    {
        var body = RandomBytes(3_000_000, seed: 3);

        var response = await RespondAsync(transport, context =>
        {
            context.Response.ContentLength = body.Length;
            return context.Response.Body.WriteAsync(body).AsTask();
        });

        Assert.Equal(body, response.Body);
        Assert.Equal($"{body.Length}", response.Header("Content-Length"));
    }

    [Fact]
    public Task A_cancelled_write_throws_and_writes_nothing() =>
        AssertRespondsAsync((200, null, "before after"), async context =>
        {
            await context.Response.WriteAsync("before");
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => context.Response.Body.WriteAsync(new byte[10], new CancellationToken(canceled: true)).AsTask());
            await context.Response.WriteAsync(" after");
        });

    [Theory, ClassData(typeof(Transports))]
    public async Task A_flush_that_waits_can_be_cancelled_which_aborts(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            using var source = new CancellationTokenSource();
            var write = context.Response.Body.WriteAsync(new byte[20_000_000], source.Token).AsTask();
            Assert.False(write.IsCompleted);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write);
            Left.Reach();
        });

        await peer.SendRequestAsync();
        await Left.WaitAsync();

        await peer.ExpectClosedAsync();
    }

    [Fact]
    public Task Begin_and_end_of_a_write_work() => AssertRespondsAsync((200, null, "234"), context =>
    {
        var body = context.Response.Body;
        return Task.Factory.FromAsync(body.BeginWrite, body.EndWrite, "12345"u8.ToArray(), 1, 3, null);
    });

    [Fact]
    public Task The_stream_cannot_be_read_or_sought() => AssertRespondsAsync((200, "0", ""), Run(context =>
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
    }));

    [Fact]
    public async Task Can_be_wrapped_by_middleware()
    {
        var response = await RespondAsync(async context =>
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

    [Fact]
    public Task Replaced_by_a_buffer_nothing_starts() =>
        AssertRespondsAsync((200, "12", "buffered too"), async context =>
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

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_ends_the_response_while_the_handler_goes_on(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("whole");
            await context.Response.CompleteAsync();
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => context.Response.WriteAsync("more"));
            if (context.Request.Path == "/slow")
            {
                await GoOn.WaitAsync();
            }
        });

        var response = await peer.RoundTripAsync(Get("/slow"));
        Assert.Equal((0, "whole"), (response.ProtocolStatus, response.BodyText));

        // The id is free though its handler still runs.
        Assert.Equal("whole", (await peer.RoundTripAsync(Get())).BodyText);
        GoOn.Reach();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_stream_kept_beyond_the_request_is_dead(ServerTransport transport)
    {
        Stream? kept = null;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (kept is null)
            {
                kept = context.Response.Body;
                context.Response.OnCompleted(() => Task.Run(Left.Reach));
                return;
            }

            await Left.WaitAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => kept.WriteAsync(new byte[1]).AsTask());
            await context.Response.WriteAsync("mine");
        });

        await peer.RoundTripAsync(Get());

        Assert.Equal("mine", (await peer.RoundTripAsync(Get())).BodyText);
    }
}
