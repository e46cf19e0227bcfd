namespace FastCgi.FunctionalTests.Responses;

public sealed class ContentLengthTests : FunctionalTest
{
    [Fact]
    public Task More_than_the_length_in_a_synchronous_write_throws_too() => AssertRespondsAsync(
        (200, "2", "12"),
        Run(context =>
        {
            context.Response.ContentLength = 2;
            context.Response.Body.Write("12"u8);
            Assert.Throws<InvalidOperationException>(() => context.Response.Body.Write("3"u8));
        }),
        options: options => options.AllowSynchronousIO = true);

    [Theory, InlineData(false), InlineData(true)]
    public async Task Less_than_the_length_tears_what_has_begun(bool completes)
    {
        SyncPoint written = "what the application did";
        await AssertTearsAsync("12345", async context =>
        {
            context.Response.ContentLength = 10;
            await context.Response.WriteAsync("12345");
            if (completes)
            {
                await Assert.ThrowsAsync<InvalidOperationException>(context.Response.CompleteAsync);
            }

            written.Reach();
        });
        await written.WaitAsync();
    }

    [Fact]
    public async Task A_length_but_no_body_is_a_500_and_the_connection_stays()
    {
        var peer = await StartAndConnectAsync(Run(context =>
            context.Response.ContentLength = context.Request.Path == "/missing" ? 10 : null));
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get("/missing"))).StatusCode);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task Less_than_the_length_is_no_error_when_the_peer_aborted()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 10;
            context.Response.OnCompleted(Left.Reach);
            await context.Response.WriteAsync("12345");
            await WaitForAbortAsync(context);
        });

        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Abort());
        await Left.WaitAsync();
    }
}
