namespace FastCgi.FunctionalTests.Responses;

public sealed class StreamingTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task Each_flush_is_visible_before_the_handler_goes_on(ServerTransport transport)
    {
        SyncPoint[] seen = ["the first piece to be seen", "the second piece to be seen"];
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.Body.FlushAsync();
            await seen[0].WaitAsync();
            await context.Response.WriteAsync("piece");
            await seen[1].WaitAsync();
        });

        await peer.SendRequestAsync();
        Assert.Equal(200, (await peer.ExpectResponseStartAsync()).StatusCode);
        seen[0].Reach();
        Assert.Equal("piece"u8.ToArray(), (await peer.ExpectRecordAsync(1)).Content);
        seen[1].Reach();

        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_flush_is_visible_though_the_handler_keeps_its_thread(ServerTransport transport)
    {
        using var goOn = new ManualResetEventSlim();
        var peer = await StartAndConnectAsync(transport, context =>
        {
            var write = context.Response.WriteAsync("early");
            Assert.True(goOn.Wait(Deadline.Default));
            return write;
        });

        await peer.SendRequestAsync();
        Assert.Equal("early", (await peer.ExpectResponseStartAsync()).BodyText);
        goOn.Set();

        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task DisableBuffering_tells_nginx(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Features.Get<Microsoft.AspNetCore.Http.Features.IHttpResponseBodyFeature>()!.DisableBuffering();
            return context.Response.WriteAsync("x");
        });

        Assert.Equal("no", response.Header("X-Accel-Buffering"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_event_stream_is_never_buffered(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.ContentType = "text/event-stream";
            return context.Response.WriteAsync("data: x\n\n");
        });

        Assert.Equal("no", response.Header("X-Accel-Buffering"));
    }
}
