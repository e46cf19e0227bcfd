namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application completes the body, itself or by its writer, before it returns.</summary>
public sealed class CompletionTests : FunctionalTest
{
    private static readonly Dictionary<string, Func<HttpResponse, Task>> s_completions = new()
    {
        ["CompleteAsync"] = static response => response.CompleteAsync(),
        ["CompleteAsync of the writer"] = static response => response.BodyWriter.CompleteAsync().AsTask(),
        ["Complete of the writer"] = static response =>
        {
            response.BodyWriter.Complete();
            return Task.CompletedTask;
        },
    };

    private readonly InvalidOperationException _failure = new("of the application");

    public static TheoryData<string> Completions { get; } = [.. s_completions.Keys];

    [Theory, MemberData(nameof(Completions))]
    public async Task Completion_ends_the_response_while_the_handler_goes_on(string completion)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.WriteAsync("whole");
            await s_completions[completion](context.Response);
            if (context.Request.Path == "/slow")
            {
                await GoOn.WaitAsync();
            }
        });

        // The id is free though its handler still runs.
        foreach (var path in (string[])["/slow", "/"])
        {
            var response = await peer.RoundTripAsync(Get(path));
            Assert.Equal(("whole", 0), (response.BodyText, response.ProtocolStatus));
        }

        GoOn.Reach();
    }

    /// <summary>It waits for the callbacks of the response, but not for the one that it is called from.</summary>
    [Fact]
    public Task A_callback_that_has_waited_may_complete_the_response() =>
        AssertRespondsAsync((200, "0", ""), Run(context => context.Response.OnStarting(async () =>
        {
            await Task.Yield();
            await context.Response.CompleteAsync();
        })));

    [Fact]
    public Task Complete_of_the_writer_with_less_than_the_length_throws() => AssertTearsAsync(
        "hello, world",
        async context =>
        {
            context.Response.ContentLength = 13;
            await context.Response.WriteAsync("hello, world");
            Assert.Throws<InvalidOperationException>(() => context.Response.BodyWriter.Complete());
        },
        isExpected: entry => entry.Exception is InvalidOperationException);

    [Theory, MemberData(nameof(Completions))]
    public Task Completion_without_a_body_and_with_a_length_throws_before_the_start(string completion) =>
        AssertFailsAsync(async context =>
        {
            context.Response.ContentLength = 13;
            await Assert.ThrowsAsync<InvalidOperationException>(() => s_completions[completion](context.Response));
            Assert.False(context.Response.HasStarted);
        });

    [Theory, MemberData(nameof(Completions))]
    public Task After_completion_nothing_is_written_and_flushes_do_nothing(string completion) =>
        AssertRespondsAsync((200, "0", ""), async context =>
        {
            var writer = context.Response.BodyWriter;
            await s_completions[completion](context.Response);
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

    [Fact]
    public async Task Complete_of_the_writer_does_not_wait_for_a_callback_but_the_end_does()
    {
        var response = await RespondAsync(Run(context =>
        {
            context.Response.OnStarting(async () =>
            {
                await GoOn.WaitAsync();
                context.Response.Headers["X-Late"] = "yes";
            });
            context.Response.BodyWriter.Complete();
            GoOn.Reach();
        }));

        Assert.Equal((200, "yes"), (response.StatusCode, response.Header("X-Late")));
    }

    [Theory, MemberData(nameof(Completions))]
    public async Task An_exception_after_completion_is_logged_and_the_answer_stays_whole(string completion)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            if (context.Request.Path == "/fail")
            {
                await context.Response.WriteAsync("whole");
                await s_completions[completion](context.Response);
                throw _failure;
            }
        });
        Logs.ExpectError(IsFailure);

        var response = await peer.RoundTripAsync(Get("/fail"));

        Assert.Equal((200, "whole", 0), (response.StatusCode, response.BodyText, response.ProtocolStatus));
        await Logs.WaitForAsync(ApplicationError);
        await AssertServesAsync(peer);
    }

    [Theory, InlineData(false), InlineData(true)]
    public Task A_failure_of_the_writer_tears_what_has_begun(bool completes) => AssertTearsAsync(
        "half a page",
        async context =>
        {
            await context.Response.WriteAsync("half a page");
            if (completes)
            {
                context.Response.BodyWriter.Complete(_failure);
                await context.Response.CompleteAsync();
            }
            else
            {
                await context.Response.BodyWriter.CompleteAsync(_failure);
            }
        },
        isExpected: IsFailure);

    [Theory, InlineData(false, false), InlineData(true, false), InlineData(false, true), InlineData(true, true)]
    public Task A_failure_of_reader_or_writer_is_a_500(bool ofReader, bool completes) => AssertFailsAsync(
        async context =>
        {
            if (completes)
            {
                await (ofReader
                    ? context.Request.BodyReader.CompleteAsync(_failure)
                    : context.Response.BodyWriter.CompleteAsync(_failure));
                await context.Response.CompleteAsync();
            }
            else if (ofReader)
            {
                context.Request.BodyReader.Complete(_failure);
            }
            else
            {
                context.Response.BodyWriter.Complete(_failure);
            }
        },
        Post("x"),
        IsFailure);

    [Fact]
    public async Task CompleteAsync_of_the_writer_before_the_body_is_read_does_not_wait_for_it()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.WriteAsync("early");
            await context.Response.BodyWriter.CompleteAsync();
            await GoOn.WaitAsync();
        });

        await peer.SendAsync(BeginPost(10));

        Assert.Equal("early", (await peer.ExpectResponseStartAsync()).BodyText);
        Assert.Empty((await peer.ExpectRecordAsync(1)).Content);
        await peer.SendAsync(EndBody(new byte[10]));
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
        GoOn.Reach();
    }

    private bool IsFailure(LogEntry entry) => ReferenceEquals(entry.Exception, _failure);
}
