namespace FastCgi.FunctionalTests.Responses;

public sealed class OnStartingTests : FunctionalTest
{
    private const int ApplicationError = 13;

    public enum Start
    {
        FirstWrite,
        ZeroLengthWrite,
        Flush,
        StartAsync,
        CompleteAsync,
        PipeFlush,
        EndOfApplication,
    }

    public static TheoryData<Start> Starts { get; } = [.. Enum.GetValues<Start>()];

    [Theory, MemberData(nameof(Starts))]
    public async Task Callbacks_run_once_whatever_starts_the_response(Start start)
    {
        var runs = 0;
        var response = await RespondAsync(async context =>
        {
            context.Response.OnStarting(() =>
            {
                runs++;
                context.Response.Headers["X-Late"] = "yes";
                return Task.CompletedTask;
            });
            await StartBy(start, context.Response);
            await context.Response.CompleteAsync();
        });

        Assert.Equal(200, response.StatusCode);
        Assert.Equal("yes", response.Header("X-Late"));
        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task Callbacks_run_last_in_first_out()
    {
        List<int> order = [];
        await RespondAsync(context =>
        {
            foreach (var number in (int[])[1, 2, 3])
            {
                context.Response.OnStarting(() =>
                {
                    order.Add(number);
                    return Task.CompletedTask;
                });
            }

            return context.Response.WriteAsync("x");
        });

        Assert.Equal([3, 2, 1], order);
    }

    [Fact]
    public async Task A_callback_that_a_callback_registers_runs_too()
    {
        List<string> order = [];
        await RespondAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                order.Add("outer");
                context.Response.OnStarting(() =>
                {
                    order.Add("inner");
                    return Task.CompletedTask;
                });
                return Task.CompletedTask;
            });
            return context.Response.WriteAsync("x");
        });

        Assert.Equal(["outer", "inner"], order);
    }

    /// <summary>The head that a callback starts by a write waits for the callbacks behind it.</summary>
    [Fact]
    public async Task A_callback_that_writes_starts_the_response_behind_the_others()
    {
        var response = await StartBeforeOthersAsync(static response => response.WriteAsync("written"));

        Assert.Equal((200, "yes", "written"), (response.StatusCode, response.Header("X-Late"), response.BodyText));
    }

    [Fact]
    public async Task A_callback_that_completes_the_response_does_so_behind_the_others()
    {
        var response = await StartBeforeOthersAsync(static response => response.CompleteAsync());

        Assert.Equal((200, "yes", ""), (response.StatusCode, response.Header("X-Late"), response.BodyText));
    }

    /// <summary>As a middleware for exceptions answers anew: what it registers runs too.</summary>
    [Fact]
    public async Task Callbacks_that_are_registered_after_a_failed_start_run()
    {
        List<string> runs = [];
        var response = await RespondAsync(async context =>
        {
            Register(context.Response, "first");
            context.Response.StatusCode = 204;
            await Assert.ThrowsAsync<InvalidOperationException>(
                () => context.Response.Body.WriteAsync("a body"u8.ToArray()).AsTask());

            context.Response.Clear();
            Register(context.Response, "second");
            await context.Response.WriteAsync("answer");
        });

        Assert.Equal((200, "answer"), (response.StatusCode, response.BodyText));
        Assert.Equal(["first", "second"], runs);

        void Register(HttpResponse to, string name) => to.OnStarting(() =>
        {
            runs.Add(name);
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task A_callback_may_really_wait()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.OnStarting(async () =>
            {
                await Task.Yield();
                context.Response.StatusCode = 202;
            });
            return context.Response.WriteAsync("x");
        });

        Assert.Equal(202, response.StatusCode);
        Assert.Equal("x", response.BodyText);
    }

    [Fact]
    public async Task To_register_after_the_start_throws()
    {
        var response = await RespondAsync(async context =>
        {
            await context.Response.StartAsync();
            Assert.Throws<InvalidOperationException>(() => context.Response.OnStarting(() => Task.CompletedTask));
            await context.Response.WriteAsync("x");
            Assert.Throws<InvalidOperationException>(() => context.Response.OnStarting(() => Task.CompletedTask));
        });

        Assert.Equal("x", response.BodyText);
    }

    [Fact]
    public async Task A_callback_that_throws_fails_the_writes_and_gives_500()
    {
        var failure = new InvalidOperationException("of the callback");
        var isOtherRun = false;
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.OnStarting(() =>
            {
                isOtherRun = true;
                return Task.CompletedTask;
            });
            context.Response.OnStarting(() => throw failure);
            context.Response.Headers["X-Wiped"] = "yes";
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => context.Response.WriteAsync("lost"));
            var later = await Assert.ThrowsAsync<ObjectDisposedException>(() =>
                context.Response.Body.WriteAsync(new byte[1]).AsTask());
            Assert.Same(failure, later.InnerException);
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, failure));

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal(500, response.StatusCode);
        Assert.Null(response.Header("X-Wiped"));
        Assert.Equal("0", response.Header("Content-Length"));
        Assert.False(isOtherRun);
        Assert.Empty(response.Body);
    }

    [Fact]
    public async Task A_callback_that_throws_at_the_end_gives_500()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() => throw new InvalidOperationException("of the callback"));
            return Task.CompletedTask;
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Fact]
    public async Task Callbacks_do_not_run_when_the_application_throws_before_the_start()
    {
        var isRun = false;
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                isRun = true;
                return Task.CompletedTask;
            });
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
        Assert.False(isRun);
    }

    private static async Task StartBy(Start start, HttpResponse response)
    {
        switch (start)
        {
            case Start.FirstWrite:
                await response.WriteAsync("x");
                break;
            case Start.ZeroLengthWrite:
                await response.Body.WriteAsync(ReadOnlyMemory<byte>.Empty);
                Assert.True(response.HasStarted);
                break;
            case Start.Flush:
                await response.Body.FlushAsync();
                break;
            case Start.StartAsync:
                await response.StartAsync();
                break;
            case Start.CompleteAsync:
                await response.CompleteAsync();
                break;
            case Start.PipeFlush:
                response.BodyWriter.GetSpan(1)[0] = (byte)'x';
                response.BodyWriter.Advance(1);
                Assert.False(response.HasStarted);
                await response.BodyWriter.FlushAsync();
                break;
            default:
                break;
        }
    }

    /// <summary>A callback starts the response, and the one behind it sets a header.</summary>
    private Task<CgiResponse> StartBeforeOthersAsync(Func<HttpResponse, Task> start) =>
        RespondAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                context.Response.Headers["X-Late"] = "yes";
                return Task.CompletedTask;
            });
            context.Response.OnStarting(() => start(context.Response));
            return Task.CompletedTask;
        });
}
