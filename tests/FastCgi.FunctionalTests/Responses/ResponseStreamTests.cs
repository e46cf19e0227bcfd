using System.IO.Compression;

namespace FastCgi.FunctionalTests.Responses;

public sealed class ResponseStreamTests : FunctionalTest
{
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
}
