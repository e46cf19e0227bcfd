namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application starts the response before it writes.</summary>
public sealed class StartTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Theory, ClassData(typeof(Transports))]
    public async Task The_head_is_final_and_leaves_with_the_first_flush(ServerTransport transport)
    {
        SyncPoint started = "the start";
        SyncPoint flush = "the test to let the handler flush";
        SyncPoint end = "the test to let the handler return";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.StartAsync();
            Assert.True(context.Response.HasStarted);
            started.Reach();
            await flush.WaitAsync();
            await context.Response.BodyWriter.FlushAsync();
            await end.WaitAsync();
        });

        await peer.SendRequestAsync();
        await started.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());
        flush.Reach();
        var response = await peer.ExpectResponseStartAsync();
        end.Reach();

        Assert.Equal((200, ""), (response.StatusCode, response.BodyText));
        Assert.Null(response.Header("Content-Length"));
        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_start_alone_is_an_answer(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context => context.Response.StartAsync());

        Assert.Equal((200, "", 0), (response.StatusCode, response.BodyText, response.ProtocolStatus));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_empty_write_behind_it_is_an_answer(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/length")
            {
                context.Response.ContentLength = 0;
            }

            await context.Response.StartAsync();
            await context.Response.WriteAsync("");
        });

        var unknown = await peer.RoundTripAsync(Get());
        var known = await peer.RoundTripAsync(Get("/length"));

        Assert.Equal((200, "", null), (unknown.StatusCode, unknown.BodyText, unknown.Header("Content-Length")));
        Assert.Equal((200, "", "0"), (known.StatusCode, known.BodyText, known.Header("Content-Length")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_length_set_before_it_is_kept_to(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.Headers.ContentLength = 11;
            await context.Response.StartAsync();
            await context.Response.WriteAsync("Hello World");
        });

        Assert.Equal(("Hello World", "11"), (response.BodyText, response.Header("Content-Length")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_it_tears_the_response(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = context.Request.Path == "/length" ? 11 : null;
            await context.Response.StartAsync();
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync(Get());
        var response = await peer.ExpectTornResponseAsync();
        var other = await ConnectAsync();
        await other.SendRequestAsync(Get("/length"));
        var withLength = await other.ExpectTornResponseAsync();

        Assert.Equal((200, null), (response.StatusCode, response.Header("Content-Length")));
        Assert.Equal((200, "11"), (withLength.StatusCode, withLength.Header("Content-Length")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_a_whole_body_tears_the_response(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 11;
            await context.Response.WriteAsync("Hello World");
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();
        await peer.ExpectClosedAsync();

        Assert.Single(
            Logs.Entries,
            entry => entry.EventId.Id == ApplicationError && entry.Category == "FastCgi.AspNetCore.Requests");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_cancelled_token_starts_nothing(ServerTransport transport)
    {
        var cancelled = new CancellationToken(canceled: true);
        var response = await RespondAsync(transport, async context =>
        {
            var writer = context.Response.BodyWriter;
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => context.Response.StartAsync(cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => context.Response.WriteAsync("x", cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                async () => await writer.WriteAsync(new byte[1], cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.FlushAsync(cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => context.Response.Body.FlushAsync(cancelled));
            Assert.False(context.Response.HasStarted);
            context.Response.StatusCode = 202;
        });

        Assert.Equal((202, "0"), (response.StatusCode, response.Header("Content-Length")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_empty_first_write_sends_the_head(ServerTransport transport)
    {
        SyncPoint seen = "the head to be seen";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 12;
            await context.Response.WriteAsync("");
            await seen.WaitAsync();
            await context.Response.WriteAsync("hello, world");
        });

        await peer.SendRequestAsync();
        var head = await peer.ExpectResponseStartAsync();
        seen.Reach();

        Assert.Equal(("", "12"), (head.BodyText, head.Header("Content-Length")));
        Assert.Equal("hello, world"u8.ToArray(), (await peer.ExpectResponseAsync()).Stdout);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_head_of_a_HEAD_leaves_with_the_first_write(ServerTransport transport)
    {
        SyncPoint seen = "the head to be seen";
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                context.Response.ContentLength = 12;
                if (context.Request.Path == "/synchronous")
                {
                    context.Response.Body.Write("hello, world"u8);
                }
                else
                {
                    await context.Response.WriteAsync("hello, world");
                }

                await seen.WaitAsync();
            },
            options => options.AllowSynchronousIO = true);

        await peer.SendRequestAsync(Head("/synchronous"));
        await peer.SendRequestAsync(Head() with { Id = 2 });
        var synchronous = await peer.ExpectResponseStartAsync(1);
        var asynchronous = await peer.ExpectResponseStartAsync(2);
        seen.Reach();

        Assert.Equal(("12", "12"), (synchronous.Header("Content-Length"), asynchronous.Header("Content-Length")));
        Assert.Empty((await peer.ExpectResponseAsync(1)).Stdout);
        Assert.Empty((await peer.ExpectResponseAsync(2)).Stdout);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_GET_behind_a_HEAD_has_its_body(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport, async context => await context.Response.BodyWriter.WriteAsync("###"u8.ToArray()));

        Assert.Equal("", (await peer.RoundTripAsync(Head())).BodyText);
        Assert.Equal("###", (await peer.RoundTripAsync(Get())).BodyText);
    }
}
