namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>A logger that fails costs log entries, never a request, a thread or the process.</summary>
public sealed class ThrowingLoggerTests : FunctionalTest
{
    [Fact]
    public async Task A_logger_that_always_throws_costs_nothing_but_entries()
    {
        await StartAsync(
            async context =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                await context.Response.WriteAsync("served");
            },
            options => options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10),
            Clock,
            static builder => builder.Logging.AddProvider(new ThrowingLoggers()));

        // What is logged: a start, an upload, an abort, bytes that are not FastCGI, an idle connection that is closed.
        var peer = await ConnectAsync();
        Assert.Equal("served", (await peer.RoundTripAsync(Post("body"))).BodyText);
        await peer.SendAsync(BeginPost(10).Abort());
        await peer.ExpectResponseAsync(1);
        await using (var wrong = await Server.ConnectAsync())
        {
            await wrong.SendAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray());
            await wrong.ExpectBytesUntilClosedAsync();
        }

        await AssertServesAsync(peer);
        Clock.Advance(TimeSpan.FromSeconds(12));
        await peer.ExpectEndOfStreamAsync();
        await AssertServesAnotherConnectionAsync();
    }
}
