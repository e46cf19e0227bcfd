namespace FastCgi.FunctionalTests.Responses;

public sealed class ContentLengthTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Fact]
    public async Task Nothing_written_and_nothing_set_is_a_length_of_zero()
    {
        var response = await RespondAsync(_ => Task.CompletedTask);

        Assert.Equal(200, response.StatusCode);
        Assert.Equal("0", response.Header("Content-Length"));
    }

    [Fact]
    public async Task A_body_without_a_length_gets_none()
    {
        var response = await RespondAsync(Write("of unknown length"));

        Assert.Null(response.Header("Content-Length"));
        Assert.Equal("of unknown length", response.BodyText);
    }

    [Fact]
    public async Task A_length_of_zero_without_a_body_is_right()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentLength = 0;
            return Task.CompletedTask;
        });

        Assert.Equal(("0", 200), (response.Header("Content-Length"), response.StatusCode));
    }

    [Fact]
    public async Task More_than_the_length_throws_and_tears_what_has_begun()
    {
        SyncPoint thrown = "the exception of the write";
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 5;
            await context.Response.WriteAsync("12345");
            try
            {
                await context.Response.WriteAsync("6");
            }
            catch (InvalidOperationException)
            {
                thrown.Reach();
                throw;
            }
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();
        var response = await peer.ExpectTornResponseAsync();

        await thrown.WaitAsync();
        Assert.Equal("12345", response.BodyText);
    }

    [Fact]
    public async Task More_than_the_length_in_the_first_write_is_a_500()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.ContentLength = 5;
            return context.Response.Body.WriteAsync("123456"u8.ToArray()).AsTask();
        });
        Logs.ExpectError(ApplicationError);

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((500, "0"), (response.StatusCode, response.Header("Content-Length")));
        Assert.Empty(response.Body);
    }

    [Fact]
    public async Task More_than_the_length_in_a_synchronous_write_throws_too()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Response.ContentLength = 2;
                context.Response.Body.Write("12"u8);
                Assert.Throws<InvalidOperationException>(() => context.Response.Body.Write("3"u8));
                return Task.CompletedTask;
            },
            options: options => options.AllowSynchronousIO = true);

        Assert.Equal("12", response.BodyText);
    }

    [Fact]
    public async Task Less_than_the_length_tears_what_has_begun()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 10;
            await context.Response.WriteAsync("12345");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();

        Assert.Equal("12345", (await peer.ExpectTornResponseAsync()).BodyText);
    }

    [Fact]
    public async Task CompleteAsync_with_less_than_the_length_throws()
    {
        SyncPoint thrown = "the exception of CompleteAsync";
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 10;
            await context.Response.WriteAsync("12345");
            await Assert.ThrowsAsync<InvalidOperationException>(context.Response.CompleteAsync);
            thrown.Reach();
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();

        await peer.ExpectTornResponseAsync();
        await thrown.WaitAsync();
    }

    [Fact]
    public async Task A_length_but_no_body_is_a_500_and_the_connection_stays()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            if (context.Request.Path == "/missing")
            {
                context.Response.ContentLength = 10;
            }

            return Task.CompletedTask;
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get("/missing"))).StatusCode);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task Less_than_the_length_is_no_error_when_the_peer_aborted()
    {
        SyncPoint aborted = "the abort";
        SyncPoint left = "the end of the request";
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 10;
            context.Response.OnCompleted(() =>
            {
                left.Reach();
                return Task.CompletedTask;
            });
            await context.Response.WriteAsync("12345");
            using (context.RequestAborted.Register(aborted.Reach))
            {
                await aborted.WaitAsync();
            }
        });

        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Abort());
        await left.WaitAsync();
    }

    [Fact]
    public async Task OnStarting_may_set_the_length_that_the_write_is_judged_by()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                context.Response.ContentLength = context.Request.Path == "/fits" ? 3 : 2;
                return Task.CompletedTask;
            });
            return context.Response.Body.WriteAsync("123"u8.ToArray()).AsTask();
        });
        Logs.ExpectError(ApplicationError);

        var fits = await peer.RoundTripAsync(Get("/fits"));
        Assert.Equal(("3", "123"), (fits.Header("Content-Length"), fits.BodyText));
        await peer.SendRequestAsync(Get("/too-long"));
        var tooLong = await peer.ExpectResponseAsync();
        Assert.Equal((500, ""), (tooLong.StatusCode, tooLong.BodyText));
    }

    [Fact]
    public async Task A_length_that_is_removed_is_not_kept_to()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentLength = 3;
            context.Response.OnStarting(() =>
            {
                context.Response.Headers.Remove("Content-Length");
                return Task.CompletedTask;
            });
            return context.Response.WriteAsync("compressed to something else");
        });

        Assert.Null(response.Header("Content-Length"));
        Assert.Equal("compressed to something else", response.BodyText);
    }

    [Fact]
    public async Task A_negative_length_cannot_be_set()
    {
        await RespondAsync(context =>
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => context.Response.ContentLength = -1);
            return Task.CompletedTask;
        });
    }
}
