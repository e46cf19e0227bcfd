using FastCgi.SampleTests.Hubs;

namespace FastCgi.SampleTests.Chat;

/// <summary>What visitors notice of a deployment.</summary>
public sealed class ChatRestartTests
{
    [Fact]
    public async Task A_stop_of_the_application_waits_for_no_visitor_and_each_notices_it()
    {
        await using var site = await ChatBehindNginx.StartAsync();
        await using var zoe = await EnterAsync(site, "Zoë");
        await using var ada = await EnterAsync(site, "Ada");

        Assert.Equal(0, await site.StopAsync());

        foreach (var visitor in new[] { zoe, ada })
        {
            // SignalR breaks the connections of a stopping application off, whichever server it has.
            Assert.IsType<WebSocketException>(await visitor.ClosedAsync());
        }

        Assert.DoesNotContain(site.Log.Lines, IsComplaint);
    }

    [Fact]
    public async Task After_a_restart_of_the_application_visitors_are_back_by_themselves()
    {
        await using var site = await ChatBehindNginx.StartAsync();
        await using var zoe = await EnterAsync(site, "Zoë", new EagerRetries());
        await using var ada = await EnterAsync(site, "Ada", new EagerRetries());

        Assert.Equal(0, await site.StopAsync());
        await site.StartAgainAsync();
        await Task.WhenAll(zoe.BackAsync(), ada.BackAsync());

        await zoe.EnterAsync("restart", "Zoë");
        await ada.EnterAsync("restart", "Ada");
        await zoe.SayAsync("Here again");
        Assert.Equal("Here again", (await ada.NextSaidAsync()).Text);
        Assert.DoesNotContain(site.Log.Lines, IsComplaint);
    }

    private static async Task<ChatVisitor> EnterAsync(ProcessSite site, string name, EagerRetries? retries = null)
    {
        var visitor = await ChatVisitor.ConnectAsync(aborted => ChatBehindNginx.OpenAsync(site, aborted), retries);
        await visitor.EnterAsync("restart", name);
        return visitor;
    }

    private static bool IsComplaint(string line) =>
        line.StartsWith("warn:", StringComparison.Ordinal) || line.StartsWith("fail:", StringComparison.Ordinal);
}
