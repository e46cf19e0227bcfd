using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace FastCgi.FunctionalTests.Bodies;

public sealed class RequestBodyPipeTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task Reads_the_body(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            async context =>
            {
                var reader = context.Request.BodyReader;
                ReadResult result;
                while (!(result = await reader.ReadAsync()).IsCompleted)
                {
                    // Nothing consumed, all examined: what was read stays, and more of it comes.
                    reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                }

                await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer.ToArray()));
                reader.AdvanceTo(result.Buffer.End);
            },
            Post("through the pipe"));

        Assert.Equal("through the pipe", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Examined_to_its_end_and_not_consumed_does_not_starve(ServerTransport transport)
    {
        // JSON is read like that: the whole body stays unconsumed, far beyond the limit of what is buffered unasked.
        const int Size = 300_000;
        var response = await RespondAsync(
            transport,
            async context =>
            {
                var reader = context.Request.BodyReader;
                ReadResult result;
                while (!(result = await reader.ReadAsync()).IsCompleted)
                {
                    reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                }

                await context.Response.WriteAsync($"{result.Buffer.Length}");
            },
            Post(new byte[Size]),
            options => options.Limits.MaxRequestBufferSize = 10_000);

        Assert.Equal($"{Size}", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Consumed_in_tiny_pieces_that_arrive_in_tiny_records(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var reader = context.Request.BodyReader;
            var text = new StringBuilder();
            while (true)
            {
                var result = await reader.ReadAsync();
                if (result.Buffer.IsEmpty && result.IsCompleted)
                {
                    break;
                }

                text.Append((char)result.Buffer.FirstSpan[0]);
                reader.AdvanceTo(result.Buffer.GetPosition(1));
            }

            await context.Response.WriteAsync(text.ToString());
        });

        await peer.SendAsync(BeginPost(10).Stdin(1, "0123456789"u8, recordSize: 1).EndStdin());

        Assert.Equal("0123456789", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CancelPendingRead_gives_a_cancelled_result(ServerTransport transport)
    {
        SyncPoint cancelled = "the cancelled read";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var reader = context.Request.BodyReader;
            var read = reader.ReadAsync();
            Assert.False(read.IsCompleted);
            reader.CancelPendingRead();
            var result = await read;
            Assert.True(result.IsCanceled);
            reader.AdvanceTo(result.Buffer.Start);
            cancelled.Reach();
            result = await reader.ReadAsync();
            await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer.ToArray()));
            reader.AdvanceTo(result.Buffer.End);
        });

        await peer.SendAsync(BeginPost(3));
        await cancelled.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "abc"u8).EndStdin());

        Assert.Equal("abc", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_cancelled_read_of_the_stream_throws(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var read = context.Request.Body.ReadAsync(new byte[1]).AsTask();
            context.Request.BodyReader.CancelPendingRead();
            await Assert.ThrowsAsync<OperationCanceledException>(() => read);
            await context.Response.WriteAsync("cancelled");
        });

        await peer.SendAsync(BeginPost(3));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "abc"u8).EndStdin());

        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_read_after_Complete_throws(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var reader = context.Request.BodyReader;
            await reader.CompleteAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
        });

        Assert.Equal(200, (await peer.RoundTripAsync(Post("never read"))).StatusCode);
        Assert.Equal(200, (await peer.RoundTripAsync(Post("never read"))).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Complete_with_an_exception_is_a_500(ServerTransport transport)
    {
        const int ApplicationError = 13;
        var failure = new InvalidOperationException("of the reader");
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Request.BodyReader.Complete(failure);
            return Task.CompletedTask;
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, failure));

        Assert.Equal(500, (await peer.RoundTripAsync(Post("x"))).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Stream_and_pipe_are_views_of_one_source(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            async context =>
            {
                var reader = context.Request.BodyReader;
                var result = await reader.ReadAtLeastAsync(4);
                reader.AdvanceTo(result.Buffer.GetPosition(2));
                var rest = await new StreamReader(context.Request.Body).ReadToEndAsync();
                await context.Response.WriteAsync(rest);
            },
            Post("abcdef"));

        Assert.Equal("cdef", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_replaced_body_has_a_reader_of_its_own(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            async context =>
            {
                var original = context.Request.BodyReader;
                context.Request.Body = new MemoryStream("replaced"u8.ToArray());
                Assert.NotSame(original, context.Request.BodyReader);
                var result = await context.Request.BodyReader.ReadAtLeastAsync(8);
                await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer.ToArray()));
                context.Request.BodyReader.AdvanceTo(result.Buffer.End);
            },
            Post("original"));

        Assert.Equal("replaced", response.BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_reader_kept_beyond_the_request_is_dead(ServerTransport transport)
    {
        SyncPoint over = "the end of the request";
        PipeReader? kept = null;
        await RespondAsync(
            transport,
            context =>
            {
                kept = context.Request.BodyReader;
                context.Response.OnCompleted(() =>
                {
                    over.Reach();
                    return Task.CompletedTask;
                });
                return Task.CompletedTask;
            },
            Post("x"));

        await over.WaitAsync();
        await Assert.ThrowsAnyAsync<InvalidOperationException>(async () => await kept!.ReadAsync());
    }
}
