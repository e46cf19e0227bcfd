namespace FastCgi.FunctionalTests.Bodies;

/// <summary>The order in which an application may call the reader of a request body.</summary>
public sealed class RequestPipeRuleTests : FunctionalTest
{
    [Fact]
    public Task Two_reads_need_an_advance_between_them() => AssertRespondsAsync(
        (200, null, "hello"),
        async context =>
        {
            var reader = context.Request.BodyReader;
            Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(default));
            var result = await reader.ReadAtLeastAsync(5);
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
            Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _));
            reader.AdvanceTo(result.Buffer.Start);
            result = await reader.ReadAsync();
            var position = result.Buffer.End;
            await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer));
            reader.AdvanceTo(position);
            Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(position));
        },
        Post("hello"));

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
    public async Task TryRead_gives_what_is_there_and_then_the_end()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            Assert.False(reader.TryRead(out var result));
            Entered.Reach();
            await GoOn.WaitAsync();
            Assert.True(reader.TryRead(out result));
            await context.Response.WriteAsync(Encoding.ASCII.GetString(result.Buffer));
            Assert.True(result.IsCompleted);
            reader.AdvanceTo(result.Buffer.End);
            Assert.True(reader.TryRead(out result));
            Assert.True(result is { IsCompleted: true, Buffer.IsEmpty: true });
            reader.AdvanceTo(result.Buffer.End);
        });

        await EnterAsync(peer, BeginPost(5));
        await peer.SendAsync(EndBody("hello"u8));
        await peer.SynchronizeAsync();
        GoOn.Reach();

        Assert.Equal("hello", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public Task A_body_of_nothing_is_complete_at_once() => AssertRespondsAsync((200, "0", ""), async context =>
    {
        var reader = context.Request.BodyReader;
        Assert.True(reader.TryRead(out var result));
        Assert.True(result is { IsCompleted: true, IsCanceled: false, Buffer.IsEmpty: true });
        reader.AdvanceTo(result.Buffer.End);
        result = await reader.ReadAsync();
        Assert.True(result is { IsCompleted: true, Buffer.IsEmpty: true });
        reader.AdvanceTo(result.Buffer.End);
    });

    [Fact]
    public async Task After_Complete_reads_throw_and_the_rest_does_nothing()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
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
    public async Task A_body_that_is_too_short_fails_every_read()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var reader = context.Request.BodyReader;
            var result = await reader.ReadAsync();
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            Entered.Reach();
            await GoOn.WaitAsync();
            for (var i = 0; i < 2; i++)
            {
                Assert.Throws<BadHttpRequestException>(() => reader.TryRead(out _));
                var failure = await Assert.ThrowsAsync<BadHttpRequestException>(async () => await reader.ReadAsync());
                Assert.Equal(400, failure.StatusCode);
            }

            context.Response.StatusCode = 202;
        });

        await EnterAsync(peer, BeginPost(5).Stdin(1, "a"u8));
        await peer.SendAsync(new RecordBuilder().EndStdin());
        await peer.SynchronizeAsync();
        GoOn.Reach();

        Assert.Equal(202, (await peer.ExpectResponseAsync()).StatusCode);
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

    [Fact]
    public Task Arguments_that_are_wrong_throw() => AssertRespondsAsync(
        (200, null, "hello"),
        async context =>
        {
            var body = context.Request.Body;
            await Assert.ThrowsAsync<ArgumentNullException>(() => body.CopyToAsync(null!));
            await Assert.ThrowsAnyAsync<ArgumentException>(() => body.CopyToAsync(Stream.Null, 0));
            await Assert.ThrowsAsync<NotSupportedException>(() => body.WriteAsync(new byte[1]).AsTask());
            Assert.Throws<NotSupportedException>(() => body.WriteByte(0));
            Assert.Throws<NotSupportedException>(() => body.Position = 0);
            body.Flush();
            await body.FlushAsync();
            await context.Response.WriteAsync(await new StreamReader(body).ReadToEndAsync());
        },
        Post("hello"));
}
