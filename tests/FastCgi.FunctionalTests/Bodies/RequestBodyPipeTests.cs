namespace FastCgi.FunctionalTests.Bodies;

public sealed class RequestBodyPipeTests : FunctionalTest
{
    /// <summary>Nothing consumed, all examined: what was read stays, and more of it comes.</summary>
    [Fact]
    public Task Reads_the_body() => AssertRespondsAsync(
        (200, null, "through the pipe"),
        async context =>
        {
            var body = await ExamineAllAsync(context.Request.BodyReader);
            await context.Response.WriteAsync(Encoding.ASCII.GetString(body));
            context.Request.BodyReader.AdvanceTo(body.End);
        },
        Post("through the pipe"));

    /// <summary>JSON is read like that: all stays unconsumed, far beyond what is buffered unasked.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Examined_to_its_end_and_not_consumed_does_not_starve(ServerTransport transport)
    {
        const int Size = 300_000;
        var response = await RespondAsync(
            transport,
            async context => await context.Response.WriteAsync(
                $"{(await ExamineAllAsync(context.Request.BodyReader)).Length}"),
            Post(new byte[Size]),
            options => options.Limits.MaxRequestBufferSize = 10_000);

        Assert.Equal($"{Size}", response.BodyText);
    }

    [Fact]
    public async Task Consumed_in_tiny_pieces_that_arrive_in_tiny_records()
    {
        var peer = await StartAndConnectAsync(async context =>
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

    [Fact]
    public async Task CancelPendingRead_gives_a_cancelled_result()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            var read = reader.ReadAsync();
            Assert.False(read.IsCompleted);
            reader.CancelPendingRead();
            var result = await read;
            Assert.True(result.IsCanceled);
            reader.AdvanceTo(result.Buffer.Start);
            Entered.Reach();
            result = await reader.ReadAsync();
            await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer));
            reader.AdvanceTo(result.Buffer.End);
        });

        await EnterAsync(peer, BeginPost(3));
        await peer.SendAsync(EndBody("abc"u8));

        Assert.Equal("abc", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task A_cancelled_read_of_the_stream_throws()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var read = context.Request.Body.ReadAsync(new byte[1]).AsTask();
            context.Request.BodyReader.CancelPendingRead();
            await Assert.ThrowsAsync<OperationCanceledException>(() => read);
            await context.Response.WriteAsync("cancelled");
        });

        await peer.SendAsync(BeginPost(3));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(EndBody("abc"u8));

        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Fact]
    public async Task A_read_after_Complete_throws()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            await reader.CompleteAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
        });

        Assert.Equal(200, (await peer.RoundTripAsync(Post("never read"))).StatusCode);
        Assert.Equal(200, (await peer.RoundTripAsync(Post("never read"))).StatusCode);
    }

    [Fact]
    public Task Complete_with_an_exception_is_a_500()
    {
        var failure = new InvalidOperationException("of the reader");
        return AssertFailsAsync(
            Run(context => context.Request.BodyReader.Complete(failure)),
            Post("x"),
            entry => ReferenceEquals(entry.Exception, failure));
    }

    [Fact]
    public Task A_write_behind_a_failure_of_the_reader_throws()
    {
        var failure = new InvalidOperationException("of the reader");
        return AssertFailsAsync(
            async context =>
            {
                await context.Request.BodyReader.CompleteAsync(failure);
                var thrown = await Assert.ThrowsAsync<ObjectDisposedException>(
                    () => context.Response.WriteAsync("half a page"));
                Assert.Same(failure, thrown.InnerException);
            },
            Post("x"),
            entry => ReferenceEquals(entry.Exception, failure));
    }

    [Fact]
    public Task Stream_and_pipe_are_views_of_one_source() => AssertRespondsAsync(
        (200, null, "cdef"),
        async context =>
        {
            var reader = context.Request.BodyReader;
            var result = await reader.ReadAtLeastAsync(4);
            reader.AdvanceTo(result.Buffer.GetPosition(2));
            await context.Response.WriteAsync(await new StreamReader(context.Request.Body).ReadToEndAsync());
        },
        Post("abcdef"));

    [Fact]
    public Task A_replaced_body_has_a_reader_of_its_own() => AssertRespondsAsync(
        (200, null, "replaced"),
        async context =>
        {
            var original = context.Request.BodyReader;
            context.Request.Body = new MemoryStream("replaced"u8.ToArray());
            Assert.NotSame(original, context.Request.BodyReader);
            var result = await context.Request.BodyReader.ReadAtLeastAsync(8);
            await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer));
            context.Request.BodyReader.AdvanceTo(result.Buffer.End);
        },
        Post("original"));

    private static async Task<ReadOnlySequence<byte>> ExamineAllAsync(PipeReader reader)
    {
        ReadResult result;
        while (!(result = await reader.ReadAsync()).IsCompleted)
        {
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }

        return result.Buffer;
    }
}
