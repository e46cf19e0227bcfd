using System.Buffers;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application completes the body by its writer, before it returns.</summary>
public sealed class CompletionTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_of_the_writer_ends_the_response_while_the_handler_goes_on(ServerTransport transport)
    {
        SyncPoint goOn = "the test to let the handler go on";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("whole");
            await context.Response.BodyWriter.CompleteAsync();
            if (context.Request.Path == "/slow")
            {
                await goOn.WaitAsync();
            }
        });

        Assert.Equal("whole", (await peer.RoundTripAsync(Get("/slow"))).BodyText);
        Assert.Equal("whole", (await peer.RoundTripAsync(Get())).BodyText);
        goOn.Reach();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_of_the_writer_starts_the_response(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.OnStarting(() =>
            {
                context.Response.Headers["X-Late"] = "yes";
                return Task.CompletedTask;
            });
            await context.Response.BodyWriter.CompleteAsync();
            Assert.True(context.Response.HasStarted);
            Assert.Throws<InvalidOperationException>(() => context.Response.StatusCode = 500);
        });

        Assert.Equal((200, "yes"), (response.StatusCode, response.Header("X-Late")));
        Assert.Equal("0", response.Header("Content-Length"));
    }

    /// <summary>It waits for the callbacks of the response, but not for the one that it is called from.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_callback_that_has_waited_may_complete_the_response(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.OnStarting(async () =>
            {
                await Task.Yield();
                await context.Response.CompleteAsync();
            });
            return Task.CompletedTask;
        });

        Assert.Equal((200, ""), (response.StatusCode, response.BodyText));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Complete_of_the_writer_that_wrote_nothing_is_an_empty_body(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.BodyWriter.Complete();
            return Task.CompletedTask;
        });

        Assert.Equal((200, "0", ""), (response.StatusCode, response.Header("Content-Length"), response.BodyText));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Complete_of_the_writer_sends_what_was_not_flushed(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.BodyWriter.Write("not flushed"u8);
            context.Response.BodyWriter.Complete();
            return Task.CompletedTask;
        });

        Assert.Equal((200, "not flushed"), (response.StatusCode, response.BodyText));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Complete_of_the_writer_with_less_than_the_length_throws(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 13;
            await context.Response.WriteAsync("hello, world");
            Assert.Throws<InvalidOperationException>(() => context.Response.BodyWriter.Complete());
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && entry.Exception is InvalidOperationException);

        await peer.SendRequestAsync();

        Assert.Equal("hello, world", (await peer.ExpectTornResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_of_the_writer_with_less_than_the_length_throws(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 13;
            await Assert.ThrowsAsync<InvalidOperationException>(
                async () => await context.Response.BodyWriter.CompleteAsync());
            Assert.False(context.Response.HasStarted);
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_without_a_body_and_with_a_length_throws_before_the_start(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 13;
            await Assert.ThrowsAsync<InvalidOperationException>(context.Response.CompleteAsync);
            Assert.False(context.Response.HasStarted);
        });
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task After_CompleteAsync_nothing_is_written_and_flushes_do_nothing(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            var writer = context.Response.BodyWriter;
            await context.Response.CompleteAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.WriteAsync("more"));
            Assert.Throws<InvalidOperationException>(() => writer.GetMemory());
            Assert.Throws<InvalidOperationException>(() => writer.GetSpan());
            Assert.Throws<InvalidOperationException>(() => writer.Advance(1));
            await writer.FlushAsync();
            await context.Response.Body.FlushAsync();
            await context.Response.StartAsync();
            await context.Response.CompleteAsync();
            writer.CancelPendingFlush();
            writer.Complete();
            await writer.CompleteAsync();
            Assert.Throws<InvalidOperationException>(() => context.Response.StatusCode = 201);
        });

        Assert.Equal((200, "", 0), (response.StatusCode, response.BodyText, response.ProtocolStatus));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_after_CompleteAsync_is_logged_and_the_answer_stays_whole(ServerTransport transport)
    {
        var failure = new InvalidOperationException("of the application");
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/fail")
            {
                await context.Response.WriteAsync("whole");
                await context.Response.CompleteAsync();
                throw failure;
            }
        });
        Logs.ExpectError(entry => ReferenceEquals(entry.Exception, failure));

        var response = await peer.RoundTripAsync(Get("/fail"));

        Assert.Equal((200, "whole", 0), (response.StatusCode, response.BodyText, response.ProtocolStatus));
        await Logs.WaitForAsync(ApplicationError);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_of_the_writer_with_an_exception_tears_what_has_begun(ServerTransport transport)
    {
        var failure = new InvalidOperationException("of the writer");
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half a page");
            await context.Response.BodyWriter.CompleteAsync(failure);
        });
        Logs.ExpectError(entry => ReferenceEquals(entry.Exception, failure));

        await peer.SendRequestAsync();

        Assert.Equal("half a page", (await peer.ExpectTornResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task CompleteAsync_of_the_writer_before_the_body_is_read_does_not_wait_for_it(ServerTransport transport)
    {
        SyncPoint goOn = "the test to let the handler go on";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("early");
            await context.Response.BodyWriter.CompleteAsync();
            await goOn.WaitAsync();
        });

        await peer.SendAsync(BeginPost(10));

        Assert.Equal("early", (await peer.ExpectResponseStartAsync()).BodyText);
        Assert.Empty((await peer.ExpectRecordAsync(1)).Content);
        await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[10]).EndStdin());
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
        goOn.Reach();
    }
}
