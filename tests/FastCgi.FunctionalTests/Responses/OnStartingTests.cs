namespace FastCgi.FunctionalTests.Responses;

public sealed class OnStartingTests : FunctionalTest
{
    private readonly InvalidOperationException _failure = new("of the callback");
    private readonly List<string> _runs = [];

    public static MatrixTheoryData<bool, bool, bool> Completions { get; } =
        new([false, true], [false, true], [false, true]);

    /// <summary>The head that a callback starts by a write waits for the callbacks behind it.</summary>
    [Fact]
    public Task A_callback_that_writes_starts_the_response_behind_the_others() =>
        AssertStartsBehindOthersAsync("written", static response => response.WriteAsync("written"));

    [Fact]
    public Task A_callback_that_completes_the_response_does_so_behind_the_others() =>
        AssertStartsBehindOthersAsync("", static response => response.CompleteAsync());

    /// <summary>As on Kestrel: the write that runs the callback comes too late.</summary>
    [Theory, MemberData(nameof(Completions))]
    public async Task A_callback_may_complete_the_response_of_a_write(bool writes, bool declares, bool yields)
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentLength = declares ? (writes ? 8 : 0) : null;
            return WriteBehindCallbackAsync(context.Response, async () =>
            {
                if (yields)
                {
                    await Task.Yield();
                }

                if (writes)
                {
                    await context.Response.Body.WriteAsync("callback"u8.ToArray());
                }

                await context.Response.CompleteAsync();
                Entered.Reach();
            });
        });

        await Entered.WaitAsync();
        Assert.Equal((200, writes ? "callback" : ""), (response.StatusCode, response.BodyText));
    }

    [Theory, InlineData(false), InlineData(true)]
    public Task A_flush_does_nothing_behind_a_callback_that_completes_the_response(bool yields) =>
        AssertRespondsAsync((200, "0", ""), async context =>
        {
            context.Response.OnStarting(async () =>
            {
                if (yields)
                {
                    await Task.Yield();
                }

                await context.Response.CompleteAsync();
            });
            await context.Response.Body.FlushAsync();
            await context.Response.BodyWriter.FlushAsync();
        });

    [Fact]
    public async Task A_write_exceeds_the_length_that_its_callback_has_used_up()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentLength = 8;
            return WriteBehindCallbackAsync(
                context.Response, () => context.Response.Body.WriteAsync("callback"u8.ToArray()).AsTask());
        });

        AssertResponse((200, "8", "callback"), response);
    }

    /// <summary>The write that runs the callback has written nothing yet, so the declared length is not kept.</summary>
    [Fact]
    public Task A_callback_that_completes_a_response_too_early_gives_500() => AssertFailsAsync(async context =>
    {
        context.Response.ContentLength = 4;
        context.Response.OnStarting(() => context.Response.CompleteAsync());
        await context.Response.Body.WriteAsync("late"u8.ToArray());
    });

    /// <summary>As a middleware for exceptions answers anew: what it registers runs too.</summary>
    [Fact]
    public async Task Callbacks_that_are_registered_after_a_failed_start_run()
    {
        var response = await RespondAsync(async context =>
        {
            Register(context.Response, "first");
            context.Response.ContentLength = 1;
            await Assert.ThrowsAsync<InvalidOperationException>(
                () => context.Response.Body.WriteAsync("a body"u8.ToArray()).AsTask());

            context.Response.Clear();
            Register(context.Response, "second");
            await context.Response.WriteAsync("answer");
        });

        Assert.Equal((200, "answer"), (response.StatusCode, response.BodyText));
        Assert.Equal(["first", "second"], _runs);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_callback_that_throws_fails_the_writes_and_gives_500(bool isAsynchronous)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            Register(context.Response, "other");
            context.Response.OnStarting(() => isAsynchronous ? Task.FromException(_failure) : throw _failure);
            context.Response.Headers["X-Wiped"] = "yes";
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => context.Response.WriteAsync("lost"));
            var later = await Assert.ThrowsAsync<ObjectDisposedException>(() =>
                context.Response.Body.WriteAsync(new byte[1]).AsTask());
            Assert.Same(_failure, later.InnerException);
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, _failure));

        var response = await peer.RoundTripAsync(Get());

        AssertResponse((500, "0", ""), response);
        Assert.Null(response.Header("X-Wiped"));
        Assert.Empty(_runs);
    }

    [Fact]
    public Task A_callback_that_throws_at_the_end_gives_500() =>
        AssertFailsAsync(Run(context => context.Response.OnStarting(() => throw _failure)));

    /// <summary>A handler that returns while a callback still waits: the response waits for the callback.</summary>
    [Fact]
    public async Task The_head_waits_for_the_callback_of_an_abandoned_write()
    {
        var peer = await StartAndEnterAsync(context =>
        {
            if (context.Request.Path != "/abandons")
            {
                Register(context.Response, "second");
                return context.Response.WriteAsync("second");
            }

            Register(context.Response, "first");
            context.Response.OnStarting(async () =>
            {
                Entered.Reach();
                await GoOn.WaitAsync();
                context.Response.Headers["X-Late"] = "yes";
            });
            _ = context.Response.WriteAsync("abandoned");
            return Task.CompletedTask;
        }, Get("/abandons"));

        Assert.Empty(await peer.SynchronizeAsync());
        GoOn.Reach();
        var first = await peer.ExpectResponseAsync();
        var second = await peer.RoundTripAsync(Get("/next"));

        Assert.Equal("yes", first.Header("X-Late"));
        Assert.Equal((200, "second"), (second.StatusCode, second.BodyText));
        Assert.Null(second.Header("X-Late"));
        Assert.Equal(["first", "second"], _runs);
    }

    private void Register(HttpResponse response, string name) => response.OnStarting(() => _runs.Add(name));

    /// <summary>A write of 4 bytes that runs the callback, and fails because of it.</summary>
    private static Task<InvalidOperationException> WriteBehindCallbackAsync(HttpResponse response, Func<Task> callback)
    {
        response.OnStarting(callback);
        return Assert.ThrowsAsync<InvalidOperationException>(
            () => response.Body.WriteAsync("late"u8.ToArray()).AsTask());
    }

    /// <summary>A callback starts the response, and the one behind it sets a header.</summary>
    private async Task AssertStartsBehindOthersAsync(string body, Func<HttpResponse, Task> start)
    {
        var response = await RespondAsync(Run(context =>
        {
            context.Response.OnStarting(() => context.Response.Headers["X-Late"] = "yes");
            context.Response.OnStarting(() => start(context.Response));
        }));

        Assert.Equal((200, "yes", body), (response.StatusCode, response.Header("X-Late"), response.BodyText));
    }
}
