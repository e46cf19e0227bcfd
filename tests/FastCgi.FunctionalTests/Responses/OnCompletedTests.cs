namespace FastCgi.FunctionalTests.Responses;

public sealed class OnCompletedTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Fact]
    public async Task Callbacks_run_last_in_first_out()
    {
        List<int> order = [];
        SyncPoint done = "all callbacks";
        await RespondAsync(context =>
        {
            context.Response.OnCompleted(() =>
            {
                order.Add(1);
                done.Reach();
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(() =>
            {
                order.Add(2);
                return Task.CompletedTask;
            });
            return Task.CompletedTask;
        });

        await done.WaitAsync();
        Assert.Equal([2, 1], order);
    }

    [Fact]
    public async Task A_callback_that_a_callback_registers_runs_too()
    {
        SyncPoint inner = "the inner callback";
        await RespondAsync(context =>
        {
            context.Response.OnCompleted(() =>
            {
                context.Response.OnCompleted(() =>
                {
                    inner.Reach();
                    return Task.CompletedTask;
                });
                return Task.CompletedTask;
            });
            return Task.CompletedTask;
        });

        await inner.WaitAsync();
    }

    [Fact]
    public async Task Callbacks_run_after_an_exception_though_OnStarting_never_ran()
    {
        var started = false;
        var statusCode = 0;
        SyncPoint completed = "OnCompleted";
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                started = true;
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(() =>
            {
                statusCode = context.Response.StatusCode;
                completed.Reach();
                return Task.CompletedTask;
            });
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
        await completed.WaitAsync();
        Assert.False(started);
        Assert.Equal(500, statusCode);
    }

    [Fact]
    public async Task Callbacks_run_after_an_abort()
    {
        SyncPoint completed = "OnCompleted";
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnCompleted(() =>
            {
                completed.Reach();
                return Task.CompletedTask;
            });
            context.Abort();
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await completed.WaitAsync();
    }

    [Fact]
    public async Task One_that_throws_is_logged_and_the_others_run()
    {
        var failure = new InvalidOperationException("of the callback");
        SyncPoint other = "the other callback";
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnCompleted(() =>
            {
                other.Reach();
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(() => throw failure);
            return context.Response.WriteAsync("intact");
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, failure));

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((200, "intact"), (response.StatusCode, response.BodyText));
        await other.WaitAsync();
        Logs.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task A_slow_callback_delays_neither_the_response_nor_the_next_request()
    {
        SyncPoint goOn = "the test to let the callback go on";
        var peer = await StartAndConnectAsync(context =>
        {
            if (context.Request.Path == "/slow")
            {
                context.Response.OnCompleted(goOn.WaitAsync);
            }

            return context.Response.WriteAsync("x");
        });

        Assert.Equal("x", (await peer.RoundTripAsync(Get("/slow"))).BodyText);
        Assert.Equal("x", (await peer.RoundTripAsync(Get())).BodyText);
        goOn.Reach();
    }

    [Fact]
    public async Task What_was_registered_for_disposal_is_disposed()
    {
        SyncPoint disposed = "the disposal";
        await RespondAsync(context =>
        {
            context.Response.RegisterForDispose(new Disposable(disposed));
            return Task.CompletedTask;
        });

        await disposed.WaitAsync();
    }

    private sealed class Disposable(SyncPoint disposed) : IDisposable
    {
        public void Dispose() => disposed.Reach();
    }
}
