using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Responses;

public sealed class OnCompletedTests : FunctionalTest
{
    private readonly SyncPoint _completed = "OnCompleted";

    [Fact]
    public async Task Callbacks_run_after_an_exception_though_OnStarting_never_ran()
    {
        var started = false;
        var statusCode = 0;
        await AssertFailsAsync(context =>
        {
            context.Response.OnStarting(() => started = true);
            context.Response.OnCompleted(() =>
            {
                statusCode = context.Response.StatusCode;
                _completed.Reach();
            });
            throw new InvalidOperationException("of the application");
        });

        await _completed.WaitAsync();
        Assert.False(started);
        Assert.Equal(500, statusCode);
    }

    [Fact]
    public async Task Callbacks_run_after_an_abort()
    {
        var peer = await StartAndConnectAsync(Run(context =>
        {
            context.Response.OnCompleted(_completed.Reach);
            context.Abort();
        }));

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await _completed.WaitAsync();
    }

    [Fact]
    public async Task One_that_throws_is_logged_and_the_others_run()
    {
        Exception[] failures = [new InvalidOperationException("later"), new InvalidOperationException("at once")];
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnCompleted(_completed.Reach);
            context.Response.OnCompleted(() => throw failures[1]);
            context.Response.OnCompleted(async () =>
            {
                await Task.Yield();
                throw failures[0];
            });
            return context.Response.WriteAsync("intact");
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && failures.Contains(entry.Exception));

        AssertResponse((200, null, "intact"), await peer.RoundTripAsync(Get()));
        await _completed.WaitAsync();
        Assert.Equal(
            failures, Logs.Entries.Select(static entry => entry.Exception).Where(failure => failures.Contains(failure)));
        Logs.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task What_is_kept_for_the_connection_ends_with_the_request_after_all_else()
    {
        List<string> ran = [];
        await RespondAsync(Run(context =>
        {
            var connection = context.Features.GetRequiredFeature<IConnectionCompleteFeature>();
            var response = context.Features.GetRequiredFeature<IHttpResponseFeature>();
            connection.OnCompleted(Note, "connection 1");
            response.OnCompleted(Note, "request");
            connection.OnCompleted(Note, "connection 2");
            Assert.Throws<ArgumentNullException>(() => connection.OnCompleted(null!, ""));
            Assert.Throws<ArgumentNullException>(() => response.OnCompleted(null!, ""));
            Assert.Throws<ArgumentNullException>(() => response.OnStarting(null!, ""));
        }));

        await _completed.WaitAsync();
        Assert.Equal(["request", "connection 2", "connection 1"], ran);

        Task Note(object name)
        {
            ran.Add((string)name);
            if (ran.Count == 3)
            {
                _completed.Reach();
            }

            return Task.CompletedTask;
        }
    }

    [Fact]
    public async Task A_slow_callback_delays_neither_the_response_nor_the_next_request()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            if (context.Request.Path == "/slow")
            {
                context.Response.OnCompleted(GoOn.WaitAsync);
            }

            return context.Response.WriteAsync("x");
        });

        Assert.Equal("x", (await peer.RoundTripAsync(Get("/slow"))).BodyText);
        Assert.Equal("x", (await peer.RoundTripAsync(Get())).BodyText);
        GoOn.Reach();
    }

    [Fact]
    public async Task What_was_registered_for_disposal_is_disposed()
    {
        await RespondAsync(Run(context => context.Response.RegisterForDispose(new Disposable(_completed))));

        await _completed.WaitAsync();
    }

    private sealed class Disposable(SyncPoint disposed) : IDisposable
    {
        public void Dispose() => disposed.Reach();
    }
}
