using FastCgi.AspNetCore.Requests;
using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Aborts;

public sealed class AbortTests : FunctionalTest
{
    [Theory, ClassData(typeof(AnyTransports))]
    public async Task Before_the_start_the_connection_closes_unanswered(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Run(context => context.Abort()));

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await Logs.WaitForAsync(ApplicationAbortedConnection);
        Assert.Equal(499, await Logs.FinishedStatusAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task After_the_start_the_response_is_torn(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half a");
            context.Abort();
            context.Abort();
        });

        await peer.SendRequestAsync();

        var response = await peer.ExpectTornResponseAsync();
        Assert.Equal("half a", response.BodyText);
        Assert.False(response.IsStdoutEnded);

        // Twice is once.
        Assert.Single(Logs.Entries, entry => entry.EventId.Id == ApplicationAbortedConnection);
    }

    [Fact]
    public async Task It_cancels_RequestAborted_off_the_thread_of_the_handler()
    {
        var isInline = false;
        var peer = await StartAndConnectAsync(async context =>
        {
            var isAborting = new ThreadLocal<bool>();
            context.RequestAborted.Register(() =>
            {
                isInline = isAborting.Value;
                Aborted.Reach();
            });
            isAborting.Value = true;
            context.Abort();
            isAborting.Value = false;
            await Aborted.WaitAsync();
        });

        await peer.SendRequestAsync();

        await peer.ExpectClosedAsync();
        await Aborted.WaitAsync();
        Assert.False(isInline);
    }

    [Fact]
    public async Task Writes_go_nowhere_and_do_not_throw()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Abort();
            await context.Response.WriteAsync("dropped");
            Assert.True((await context.Response.BodyWriter.WriteAsync(new byte[100_000])).IsCompleted);
            context.Response.BodyWriter.GetMemory(10);
            context.Response.BodyWriter.Advance(10);
            Assert.True((await context.Response.BodyWriter.FlushAsync()).IsCompleted);
            Left.Reach();
        });

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await Left.WaitAsync();
    }

    /// <summary>An application gives up a client that takes nothing, and its handler must not wait on for it.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_write_that_waits_for_the_web_server_ends(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var writer = (ResponsePipeWriter)context.Response.BodyWriter;
            var write = writer.WriteAsync(new byte[30_000_000]).AsTask();
            await Eventually.HoldsAsync(() => writer.Waits.IsWaiting, () => "The write does not wait.");
            context.Abort();
            var result = await write.Within("the write");
            Assert.Equal((false, true), (result.IsCanceled, result.IsCompleted));
            Assert.True((await writer.FlushAsync()).IsCompleted);
            Left.Reach();
        });

        await peer.SendRequestAsync();

        await Left.WaitAsync();
    }

    [Fact]
    public async Task A_text_for_the_error_log_that_waits_for_the_web_server_ends()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var log = context.Features.GetRequiredFeature<IFastCgiRequestFeature>();
            var write = log.WriteErrorAsync(new byte[30_000_000]).AsTask();
            Assert.False(write.IsCompleted);
            context.Abort();
            await write.Within("the text");
            Left.Reach();
        });

        await peer.SendRequestAsync();

        await Left.WaitAsync();
    }

    [Fact]
    public async Task After_the_end_it_does_nothing()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.WriteAsync("whole");
            await context.Response.CompleteAsync();
            context.Abort();
        });

        Assert.Equal("whole", (await peer.RoundTripAsync(Get())).BodyText);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_of_the_connection_tears_a_response_that_had_begun(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half a");
            await GoOn.WaitAsync();
            context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
        });

        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();
        GoOn.Reach();

        Assert.False((await peer.ExpectTornResponseAsync()).IsStdoutEnded);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Before_the_start_it_tears_the_response_beside_it_that_had_begun(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/abort")
            {
                context.Abort();
                return;
            }

            await context.Response.WriteAsync("half a");
            await context.Response.Body.FlushAsync();
            await WaitForAbortAsync(context);
        });

        await peer.SendRequestAsync(id: 1);
        await peer.ExpectResponseStartAsync(1);
        await peer.SendRequestAsync(target: "/abort", id: 2);

        await peer.ExpectTornResponseAsync(1);
    }
}
