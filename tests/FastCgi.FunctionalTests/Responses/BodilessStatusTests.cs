namespace FastCgi.FunctionalTests.Responses;

/// <summary>Statuses that have no body, and what an application may try with them.</summary>
public sealed class BodilessStatusTests : FunctionalTest
{
    private static readonly int[] s_bodiless = [204, 205, 304];
    private static readonly string[] s_methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"];

    private static readonly Dictionary<string, Func<HttpResponse, Task>> s_attempts = new()
    {
        ["a first write"] = async response =>
            await Assert.ThrowsAsync<InvalidOperationException>(() => response.WriteAsync("not wanted")),
        ["a write behind the start"] = async response =>
        {
            await response.StartAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(() => response.WriteAsync("not wanted"));
        },
        ["JSON"] = response => response.WriteAsJsonAsync(new int[100]),
        ["bytes in the pipe"] = response =>
        {
            response.BodyWriter.Write("not wanted"u8);
            return Task.CompletedTask;
        },
        ["bytes in the pipe, flushed"] = async response =>
        {
            response.BodyWriter.Write("not wanted"u8);
            await response.BodyWriter.FlushAsync();
            Assert.True(response.HasStarted);
            Assert.Throws<InvalidOperationException>(() => response.BodyWriter.Write("not wanted"u8));
        },
    };

    public static MatrixTheoryData<int, string> Attempts { get; } = new(s_bodiless, s_attempts.Keys);

    [Theory, InlineData(204, null), InlineData(205, "0"), InlineData(304, null)]
    [HardInput("W3")]
    public Task Is_a_head_without_a_body(int status, string? length) =>
        AssertRespondsAsync((status, length, ""), Run(context => context.Response.StatusCode = status));

    [Theory, MemberData(nameof(Attempts))]
    [HardInput("W3")]
    public async Task What_is_written_goes_nowhere(int status, string attempt)
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.StatusCode = status;
            return s_attempts[attempt](context.Response);
        });

        for (var i = 0; i < 2; i++)
        {
            var response = await peer.RoundTripAsync(Get());
            Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
        }
    }

    [Theory, InlineData(100), InlineData(101), InlineData(102), InlineData(103), InlineData(204)]
    public async Task A_length_throws_at_the_start(int status)
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentLength = 1;
            return context.Response.StartAsync();
        });
        Logs.ExpectError(
            entry => entry is { EventId.Id: ApplicationError, Exception: InvalidOperationException });

        foreach (var method in s_methods)
        {
            var response = await peer.RoundTripAsync(Get() with { Method = method });
            Assert.Equal((500, ""), (response.StatusCode, response.BodyText));
        }
    }

    [Theory]
    [InlineData(204, null, null)]
    [InlineData(205, 0L, "0")]
    public async Task A_length_that_threw_can_be_mended(int status, long? mended, string? length)
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentLength = 1;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
            Assert.False(context.Response.HasStarted);

            // The start failed, so the head is open again.
            context.Response.ContentLength = mended;
            context.Response.Headers["X-Mended"] = "yes";
        });

        AssertResponse((status, length, ""), response);
        Assert.Equal("yes", response.Header("X-Mended"));
    }

    /// <summary>The status of an interim response, or a head that is too large: neither was sent.</summary>
    [Theory, InlineData(103, false), InlineData(204, true), InlineData(304, true)]
    public Task A_start_that_threw_forbids_nothing_to_what_is_answered_instead(int status, bool isTooLarge) =>
        AssertRespondsAsync((404, null, "kept, not found"), async context =>
        {
            context.Response.StatusCode = status;
            context.Response.Headers["X-Large"] = new string('x', isTooLarge ? 70_000 : 1);
            context.Response.BodyWriter.Write("kept, "u8);
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
            context.Response.Clear();
            context.Response.StatusCode = 404;
            await context.Response.Body.WriteAsync("not found"u8.ToArray());
        });

    /// <summary>Web servers pass it on as the only response, and the client waits for the final one for ever.</summary>
    [Theory, InlineData(100), InlineData(101), InlineData(102), InlineData(103), InlineData(199)]
    public async Task An_informational_status_is_no_response(int status)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.StatusCode = status;
            if (context.Request.Path == "/start")
            {
                await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
                Assert.False(context.Response.HasStarted);
                context.Response.StatusCode = 404;
            }
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError
            && entry.Exception is InvalidOperationException exception
            && exception.Message.Contains($"{status}", StringComparison.Ordinal));

        Assert.Equal(404, (await peer.RoundTripAsync(Get("/start"))).StatusCode);
        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }
}
