namespace FastCgi.FunctionalTests.Bodies;

/// <summary>The reader of a request body, and the order in which an application may call it.</summary>
public sealed class RequestBodyPipeTests : FunctionalTest
{
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
    public Task Consumed_in_tiny_pieces_that_arrive_in_tiny_records() => AssertRespondsAsync(
        (200, null, "0123456789"),
        async context =>
        {
            var reader = context.Request.BodyReader;
            var text = new StringBuilder();
            while (await reader.ReadAsync() is { Buffer: { IsEmpty: false } buffer })
            {
                text.Append((char)buffer.FirstSpan[0]);
                reader.AdvanceTo(buffer.GetPosition(1));
            }

            await context.Response.WriteAsync(text.ToString());
        },
        BeginPost(10).Stdin(1, "0123456789"u8, recordSize: 1).EndStdin());

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

    /// <summary>On Kestrel, every later read throws.</summary>
    [Fact]
    public Task A_read_of_the_stream_that_CancelPendingRead_ends_loses_nothing() => AssertRespondsAsync(
        (200, null, "body"),
        async context =>
        {
            context.Request.BodyReader.CancelPendingRead();
            await Assert.ThrowsAsync<OperationCanceledException>(() => context.Request.Body.ReadAsync(new byte[9], 0, 9));
            await EchoAsync(context);
        },
        Post("body"));

    [Fact]
    public async Task A_read_that_is_never_advanced_ends_with_its_request()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var read = await context.Request.BodyReader.ReadAtLeastAsync(4);
            await context.Response.WriteAsync(Encoding.ASCII.GetString(read.Buffer));
        });

        foreach (var body in (string[])["body", "next"])
        {
            Assert.Equal(body, (await peer.RoundTripAsync(Post(body))).BodyText);
        }
    }

    [Fact]
    public async Task After_Complete_reads_throw_and_the_rest_does_nothing()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(default));
            var result = await reader.ReadAtLeastAsync(2);
            reader.Complete();
            reader.AdvanceTo(result.Buffer.End);
            reader.CancelPendingRead();
            reader.Complete();
            Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _));
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
            await Assert.ThrowsAsync<InvalidOperationException>(
                async () => await context.Request.Body.ReadExactlyAsync(new byte[1]));
            await context.Response.WriteAsync("done");
        });

        Assert.Equal("done", (await peer.RoundTripAsync(Post("hello"))).BodyText);
        Assert.Equal("done", (await peer.RoundTripAsync(Post("world"))).BodyText);
    }

    [Fact]
    public async Task An_abort_of_the_application_fails_every_read()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            context.Abort();
            for (var i = 0; i < 2; i++)
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await reader.ReadAsync());
                Assert.ThrowsAny<OperationCanceledException>(() => reader.TryRead(out _));
                await Assert.ThrowsAsync<TaskCanceledException>(
                    () => context.Request.Body.ReadAsync(new byte[1]).AsTask());
                await Assert.ThrowsAnyAsync<OperationCanceledException>(
                    () => context.Request.Body.CopyToAsync(Stream.Null));
            }

            Left.Reach();
        });

        await peer.SendAsync(BeginPost(5).Stdin(1, "a"u8));

        await Left.WaitAsync();
        await peer.ExpectClosedAsync();
    }

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
