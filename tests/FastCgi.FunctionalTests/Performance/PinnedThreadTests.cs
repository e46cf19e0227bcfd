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
        var peer = await StartAndConnectAsync(
            transport,
            context =>
            {
                Entered.Reach();
                return context.Response.WriteAsync($"{context.Request.Form["field"][0]!.Length}");
            },
            options => options.ThreadCount = 1);
        await EnterAsync(peer, Begin(s_post with
        {
            ExtraParams = [.. s_post.ExtraParams, ("CONTENT_LENGTH", $"{s_form.Length}")],
        }));
        Assert.Equal("100000", (await peer.RoundTripAsync(EndBody(s_form))).BodyText);

        var other = await ConnectAsync();
        Assert.Equal("3", (await other.RoundTripAsync(s_post with { Body = "field=abc"u8.ToArray() })).BodyText);
    }
}
