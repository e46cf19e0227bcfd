using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FunctionalTests.Aborts;

public sealed class AbortTests : FunctionalTest
{
    private const int ApplicationAborted = 34;

    [Theory, ClassData(typeof(Transports))]
    public async Task Before_the_start_the_connection_closes_unanswered(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await Logs.WaitForAsync(ApplicationAborted);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task After_the_start_the_response_is_torn(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half a");
            context.Abort();
        });

        await peer.SendRequestAsync();

        var response = await peer.ExpectTornResponseAsync();
        Assert.Equal("half a", response.BodyText);
        Assert.False(response.IsStdoutEnded);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task It_cancels_RequestAborted_off_the_thread_of_the_handler(ServerTransport transport)
    {
        SyncPoint cancelled = "RequestAborted";
        var isInline = false;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var isAborting = new ThreadLocal<bool>();
            context.RequestAborted.Register(() =>
            {
                isInline = isAborting.Value;
                cancelled.Reach();
            });
            isAborting.Value = true;
            context.Abort();
            isAborting.Value = false;
            await cancelled.WaitAsync();
        });

        await peer.SendRequestAsync();

        await peer.ExpectClosedAsync();
        await cancelled.WaitAsync();
        Assert.False(isInline);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Reads_of_the_body_fail(ServerTransport transport)
    {
        SyncPoint failed = "the failure of the read";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Abort();
            await Assert.ThrowsAsync<TaskCanceledException>(
                () => context.Request.Body.ReadAsync(new byte[1]).AsTask());
            failed.Reach();
        });

        await peer.SendAsync(BeginPost(10));

        await failed.WaitAsync();
        await peer.ExpectClosedAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Writes_go_nowhere_and_do_not_throw(ServerTransport transport)
    {
        SyncPoint written = "the writes";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Abort();
            await context.Response.WriteAsync("dropped");
            Assert.True((await context.Response.BodyWriter.WriteAsync(new byte[100_000])).IsCompleted);
            context.Response.BodyWriter.GetMemory(10);
            context.Response.BodyWriter.Advance(10);
            Assert.True((await context.Response.BodyWriter.FlushAsync()).IsCompleted);
            written.Reach();
        });

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await written.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Twice_is_once(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("x");
            context.Abort();
            context.Abort();
        });

        await peer.SendRequestAsync();

        await peer.ExpectTornResponseAsync();
        Assert.Single(Logs.Entries, entry => entry.EventId.Id == ApplicationAborted);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task After_the_end_it_does_nothing(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("whole");
            await context.Response.CompleteAsync();
            context.Abort();
        });

        Assert.Equal("whole", (await peer.RoundTripAsync(Get())).BodyText);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_status_that_is_logged_is_499(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync();

        await peer.ExpectClosedAsync();
        Assert.Equal(499, await Logs.FinishedStatusAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_of_the_connection_tears_a_response_that_had_begun(ServerTransport transport)
    {
        SyncPoint begun = "the peer to have the beginning";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half a");
            await begun.WaitAsync();
            context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
        });

        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();
        begun.Reach();

        Assert.False((await peer.ExpectTornResponseAsync()).IsStdoutEnded);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Before_the_start_it_tears_the_response_beside_it_that_had_begun(ServerTransport transport)
    {
        SyncPoint aborted = "RequestAborted of the request beside it";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/abort")
            {
                context.Abort();
                return;
            }

            using var registration = context.RequestAborted.Register(aborted.Reach);
            await context.Response.WriteAsync("half a");
            await context.Response.Body.FlushAsync();
            await aborted.WaitAsync();
        });

        await peer.SendRequestAsync(id: 1);
        await peer.ExpectResponseStartAsync(1);
        await peer.SendRequestAsync(target: "/abort", id: 2);

        await peer.ExpectTornResponseAsync(1);
    }
}
