namespace FastCgi.FunctionalTests.Performance;

/// <summary>One thread serves, and a handler holds it: the thread is replaced, so nothing waits for the handler.</summary>
public sealed class PinnedThreadTests : FunctionalTest
{
    private static readonly RequestScript s_post = new()
    {
        Method = "POST", ExtraParams = [("CONTENT_TYPE", "application/x-www-form-urlencoded")],
    };

    private static readonly byte[] s_form = Encoding.ASCII.GetBytes("field=" + new string('a', 100_000));

    [Theory, ClassData(typeof(Transports))]
    public async Task A_form_that_a_handler_reads_without_awaiting_arrives(ServerTransport transport)
    {
        var peer = await StartPinnedAsync(transport, context =>
        {
            Entered.Reach();
            return context.Response.WriteAsync($"{context.Request.Form["field"][0]!.Length}");
        });
        await EnterAsync(peer, Begin(s_post with
        {
            ExtraParams = [.. s_post.ExtraParams, ("CONTENT_LENGTH", $"{s_form.Length}")],
        }));
        await peer.SendAsync(EndBody(s_form));

        Assert.Equal("100000", (await peer.ExpectResponseAsync()).BodyText);

        var other = await ConnectAsync();
        Assert.Equal("3", (await other.RoundTripAsync(s_post with { Body = "field=abc"u8.ToArray() })).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_reaches_a_handler_that_blocks(ServerTransport transport)
    {
        var peer = await StartPinnedAsync(transport, BlockAsync);
        await EnterAsync(peer, Get("/block"));

        await peer.DisposeAsync();
        await Aborted.WaitAsync();
        Unblock.Set();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Others_are_served_while_a_handler_blocks(ServerTransport transport)
    {
        var blocking = await StartPinnedAsync(transport, BlockAsync);
        await EnterAsync(blocking, Get("/block"));

        var other = await ConnectAsync();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal("/quick", (await other.RoundTripAsync(Get("/quick"))).BodyText);
        }

        Assert.False(Unblock.IsSet);
        Unblock.Set();
        Assert.Equal("/block", (await blocking.ExpectResponseAsync()).BodyText);
    }

    private Task<ScriptedPeer> StartPinnedAsync(ServerTransport transport, RequestDelegate application) =>
        StartAndConnectAsync(transport, application, static options => options.ThreadCount = 1);
}
