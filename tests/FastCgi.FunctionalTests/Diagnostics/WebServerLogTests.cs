#pragma warning disable CA1848 // The entries of an application as most write them.

namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>AddFastCgiErrorLog and TraceIdentifierParameter: logs that the web server and the application share.</summary>
public sealed class WebServerLogTests : FunctionalTest
{
    [Fact]
    public async Task A_warning_goes_to_STDERR_of_its_request()
    {
        var peer = await StartWithLogAsync(static (context, log) =>
        {
            log.LogInformation("not shown");
            log.LogWarning("stock of {Item} is\nlow \\ \u00e9", "tea");
            return context.Response.WriteAsync("served");
        });

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal("warn: Shop: stock of tea is\\u000Alow \\u005C \\u00E9", response.StderrText);
        Assert.Equal("served", response.BodyText);
    }

    [Fact]
    public async Task An_exception_is_named_with_its_message()
    {
        var peer = await StartWithLogAsync(static (_, log) =>
        {
            log.LogWarning(new InvalidOperationException("a\r\nb"), "failed");
            return Task.CompletedTask;
        });

        Assert.Equal(
            "warn: Shop: failed (InvalidOperationException: a\\u000D\\u000Ab)", (await peer.RoundTripAsync(Get())).StderrText);
    }

    [Fact]
    public async Task A_long_entry_is_cut()
    {
        var peer = await StartWithLogAsync(static (_, log) =>
        {
            log.LogWarning("{Long}", new string('x', 100_000));
            return Task.CompletedTask;
        });

        Assert.Equal(1024, (await peer.RoundTripAsync(Get())).Stderr.Length);
    }

    [Fact]
    public async Task Requests_at_the_same_time_get_their_own_entries_and_others_none()
    {
        var bothThere = new Barrier(2);
        var peer = await StartWithLogAsync(async (context, log) =>
        {
            await Task.Run(() => Assert.True(bothThere.SignalAndWait(Deadline.Default)));
            log.LogWarning("of {Path}", context.Request.Path.Value);
        });

        await peer.SendRequestAsync(Get("/a") with { Id = 1 });
        await peer.SendRequestAsync(Get("/b") with { Id = 2 });
        Server.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Shop").LogWarning("of nobody");

        Assert.Equal("warn: Shop: of /a", (await peer.ExpectResponseAsync(1)).StderrText);
        Assert.Equal("warn: Shop: of /b", (await peer.ExpectResponseAsync(2)).StderrText);
    }

    [Fact]
    public async Task An_entry_after_the_end_of_its_request_goes_nowhere()
    {
        var peer = await StartWithLogAsync((context, log) =>
        {
            _ = Task.Run(async () =>
            {
                await GoOn.WaitAsync();
                log.LogWarning("late");
                Left.Reach();
            });
            return Task.CompletedTask;
        });

        Assert.Equal("", (await peer.RoundTripAsync(Get())).StderrText);
        GoOn.Reach();
        await Left.WaitAsync();

        Assert.Empty(await peer.SynchronizeAsync());
    }

    [Theory]
    [InlineData("c0ffee-42", "c0ffee-42")]
    [InlineData("", null)]
    [InlineData("a b", null)]
    [InlineData("a\n", null)]
    public async Task The_web_server_names_the_request(string sent, string? taken)
    {
        var peer = await StartAndConnectAsync(
            static context => context.Response.WriteAsync(context.TraceIdentifier),
            static options => options.TraceIdentifierParameter = "REQUEST_ID");

        var id = (await peer.RoundTripAsync(Get() with { ExtraParams = [("REQUEST_ID", sent)] })).BodyText;

        Assert.Matches(taken ?? "^[0-9A-V]{13}:[0-9A-F]{8}$", id);
    }

    [Fact]
    public void A_header_cannot_name_the_request() => Assert.Throws<ArgumentException>(
        static () => new AspNetCore.FastCgiServerOptions().TraceIdentifierParameter = "HTTP_X_REQUEST_ID");

    private Task<ScriptedPeer> StartWithLogAsync(Func<HttpContext, ILogger, Task> handler) => StartAndConnectAsync(
        context => handler(context, context.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger("Shop")),
        configure: static builder => builder.Logging.AddFastCgiErrorLog());
}
