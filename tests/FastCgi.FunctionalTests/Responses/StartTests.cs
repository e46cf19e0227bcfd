namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application starts the response before it writes, and what of it leaves when.</summary>
public sealed class StartTests : FunctionalTest
{
    private readonly SyncPoint _seen = "the test to have seen what left";

    [Fact]
    public async Task The_head_is_final_and_leaves_with_the_first_flush()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            await context.Response.StartAsync();
            Assert.True(context.Response.HasStarted);
            Entered.Reach();
            await GoOn.WaitAsync();
            await context.Response.BodyWriter.FlushAsync();
            await _seen.WaitAsync();
        }, Get());
        Assert.Empty(await peer.SynchronizeAsync());
        GoOn.Reach();
        var response = await peer.ExpectResponseStartAsync();
        _seen.Reach();

        AssertResponse((200, null, ""), response);
        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
    }

    [Theory, InlineData(null, null), InlineData(0L, "0")]
    public Task An_empty_write_behind_it_is_an_answer(long? length, string? header) =>
        AssertRespondsAsync((200, header, ""), async context =>
        {
            context.Response.ContentLength = length;
            await context.Response.StartAsync();
            await context.Response.WriteAsync("");
        });

    [Fact]
    public async Task An_exception_behind_it_tears_the_response()
    {
        await StartAsync(async context =>
        {
            context.Response.ContentLength = context.Request.Path == "/length" ? 11 : null;
            await context.Response.StartAsync();
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        foreach (var (target, length) in ((string, string?)[])[("/", null), ("/length", "11")])
        {
            var peer = await ConnectAsync();
            await peer.SendRequestAsync(Get(target));
            AssertResponse((200, length, ""), await peer.ExpectTornResponseAsync());
        }
    }

    [Fact]
    public async Task An_exception_behind_a_whole_body_tears_the_response()
    {
        var peer = await StartAndConnectAsync(async context =>
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

    [Fact]
    public async Task An_empty_first_write_sends_the_head()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 12;
            await context.Response.WriteAsync("");
            await _seen.WaitAsync();
            await context.Response.WriteAsync("hello, world");
        });

        await peer.SendRequestAsync();
        AssertResponse((200, "12", ""), await peer.ExpectResponseStartAsync());
        _seen.Reach();

        Assert.Equal("hello, world"u8.ToArray(), (await peer.ExpectResponseAsync()).Stdout);
    }

    [Fact]
    public async Task The_head_of_a_HEAD_leaves_with_the_first_write()
    {
        var peer = await StartAndConnectAsync(
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

                await _seen.WaitAsync();
            },
            options => options.AllowSynchronousIO = true);

        await peer.SendRequestAsync(Head("/synchronous"));
        await peer.SendRequestAsync(Head() with { Id = 2 });
        AssertResponse((200, "12", ""), await peer.ExpectResponseStartAsync(1));
        AssertResponse((200, "12", ""), await peer.ExpectResponseStartAsync(2));
        _seen.Reach();

        Assert.Empty((await peer.ExpectResponseAsync(1)).Stdout);
        Assert.Empty((await peer.ExpectResponseAsync(2)).Stdout);
    }

    [Fact]
    public async Task A_GET_behind_a_HEAD_has_its_body()
    {
        var peer = await StartAndConnectAsync(
            async context => await context.Response.BodyWriter.WriteAsync("###"u8.ToArray()));

        Assert.Equal("", (await peer.RoundTripAsync(Head())).BodyText);
        Assert.Equal("###", (await peer.RoundTripAsync(Get())).BodyText);
    }

    [Fact]
    public async Task Each_flush_is_visible_before_the_handler_goes_on()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.Body.FlushAsync();
            await GoOn.WaitAsync();
            await context.Response.WriteAsync("piece");
            await _seen.WaitAsync();
        });

        await peer.SendRequestAsync();
        Assert.Equal(200, (await peer.ExpectResponseStartAsync()).StatusCode);
        GoOn.Reach();
        Assert.Equal("piece"u8.ToArray(), (await peer.ExpectRecordAsync(1)).Content);
        _seen.Reach();

        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
    }

    [Fact]
    public async Task A_flush_is_visible_though_the_handler_keeps_its_thread()
    {
        var goOn = new Latch();
        var peer = await StartAndConnectAsync(context =>
        {
            var write = context.Response.WriteAsync("early");
            goOn.Wait();
            return write;
        });

        await peer.SendRequestAsync();
        Assert.Equal("early", (await peer.ExpectResponseStartAsync()).BodyText);
        goOn.Set();

        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Theory, InlineData("text/event-stream"), InlineData(null)]
    public async Task An_event_stream_and_DisableBuffering_tell_nginx(string? type)
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentType = type;
            if (type is null)
            {
                context.Features.GetRequiredFeature<IHttpResponseBodyFeature>().DisableBuffering();
            }

            return context.Response.WriteAsync("data: x\n\n");
        });

        Assert.Equal("no", response.Header("X-Accel-Buffering"));
    }
}
