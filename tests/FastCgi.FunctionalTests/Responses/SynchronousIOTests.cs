using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FunctionalTests.Responses;

public sealed class SynchronousIOTests : FunctionalTest
{
    [Fact]
    public async Task Is_refused_by_default()
    {
        var response = await RespondAsync(
            async context =>
            {
                Assert.Throws<InvalidOperationException>(() => context.Request.Body.Read(new byte[1], 0, 1));
                Assert.Throws<InvalidOperationException>(() => context.Request.Body.ReadByte());
                Assert.Throws<InvalidOperationException>(() => context.Response.Body.Write([1], 0, 1));
                Assert.Throws<InvalidOperationException>(() => context.Response.Body.Flush());
                Assert.False(context.Response.HasStarted);
                await context.Response.WriteAsync("refused");
            },
            Post("x"));

        Assert.Equal("refused", response.BodyText);
    }

    [Fact]
    public async Task Can_be_allowed_for_one_request()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            var control = context.Features.Get<IHttpBodyControlFeature>()!;
            Assert.False(control.AllowSynchronousIO);
            control.AllowSynchronousIO = true;
            return EchoSynchronously(context);
        });

        Assert.Equal("first", (await peer.RoundTripAsync(Post("first"))).BodyText);

        // The next one is asked anew whether it is allowed.
        Assert.Equal("second", (await peer.RoundTripAsync(Post("second"))).BodyText);
    }

    [Fact]
    public async Task Can_be_allowed_for_all()
    {
        var response = await RespondAsync(
            EchoSynchronously, Post("echo"), options => options.AllowSynchronousIO = true);

        Assert.Equal("echo", response.BodyText);
    }

    [Fact]
    public async Task Can_be_refused_for_one_request_where_it_is_allowed()
    {
        var response = await RespondAsync(
            async context =>
            {
                context.Features.Get<IHttpBodyControlFeature>()!.AllowSynchronousIO = false;
                Assert.Throws<InvalidOperationException>(() => context.Response.Body.Write([1], 0, 1));
                await context.Response.WriteAsync("refused");
            },
            options: options => options.AllowSynchronousIO = true);

        Assert.Equal("refused", response.BodyText);
    }

    [Fact]
    public async Task A_read_that_blocks_gets_what_arrives_meanwhile()
    {
        SyncPoint reading = "the first byte";
        var peer = await StartAndConnectAsync(
            context =>
            {
                var buffer = new byte[4];
                context.Request.Body.ReadExactly(buffer, 0, 1);
                reading.Reach();
                context.Request.Body.ReadExactly(buffer, 1, 3);
                context.Response.Body.Write(buffer);
                return Task.CompletedTask;
            },
            options => options.AllowSynchronousIO = true);

        await peer.SendAsync(BeginPost(4).Stdin(1, "a"u8));
        await reading.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "bcd"u8).EndStdin());

        Assert.Equal("abcd", (await peer.ExpectResponseAsync()).BodyText);
    }

    private static Task EchoSynchronously(HttpContext context)
    {
        context.Request.Body.CopyTo(context.Response.Body);
        context.Response.Body.Flush();
        return Task.CompletedTask;
    }
}
