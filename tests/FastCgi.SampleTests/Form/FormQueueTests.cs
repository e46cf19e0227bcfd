namespace FastCgi.SampleTests.Form;

/// <summary>Requests beyond the maximum wait; those that find no place to wait are refused.</summary>
public sealed class FormQueueTests
{
    private const string Head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n";

    [Fact]
    public async Task One_is_served_one_waits_and_the_third_is_refused()
    {
        await using var site = FormOnTestServer.Start([("Requests:MaxConcurrent", "1"), ("Requests:QueueLimit", "1")]);

        // Following redirects would mean to keep the body, which is read to its end for that before it is sent.
        using var client = site.CreateClient(new() { AllowAutoRedirect = false });
        using var limiter = new LimiterWatch(site.Services);
        using var body = new GatedContent("data=1");

        var served = FormAnswer.SendAsync(client, HttpMethod.Post, "/", body);
        await limiter.ServedAsync(1);
        var waiting = FormAnswer.SendAsync(client, HttpMethod.Get, "/waiting");
        await limiter.WaitingAsync(1);
        var refused = await FormAnswer.SendAsync(client, HttpMethod.Get, "/refused");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.Status);
        Assert.Equal(TimeSpan.FromSeconds(1), refused.RetryAfter);
        Assert.Contains("Try again in a second.", refused.Html, StringComparison.Ordinal);
        Assert.False(served.IsCompleted);
        Assert.False(waiting.IsCompleted);

        body.Open();
        Assert.Equal("data=1", (await served.Within("the first answer")).Shown("posted"));
        Assert.Equal("/waiting", (await waiting.Within("the second answer")).Shown("uri"));
        await limiter.ServedAsync(0);
        await limiter.WaitingAsync(0);
    }

    /// <summary>Which of them comes first is nginx' business: of three, one is refused, and two are served.</summary>
    [Fact]
    public async Task Behind_nginx_two_of_three_are_served_though_one_at_a_time()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Form", arguments: ["--Requests:MaxConcurrent", "1", "--Requests:QueueLimit", "1"]);
        List<RawHttpClient> clients = [];
        try
        {
            Dictionary<Task<RawResponse>, RawHttpClient> pending = [];
            for (var number = 0; number < 3; number++)
            {
                var client = await site.ConnectAsync();
                clients.Add(client);

                // The body is not whole: whoever is served cannot be answered before the rest has come.
                await client.SendAsync($"{Head}data=");
                pending.Add(client.ReadResponseAsync(), client);
            }

            var first = await Task.WhenAny(pending.Keys).Within("the refusal");
            Assert.Equal(503, (await first).Status);

            pending.Remove(first);
            Assert.DoesNotContain(pending.Keys, static answer => answer.IsCompleted);
            foreach (var client in pending.Values)
            {
                await client.SendAsync("x");
            }

            foreach (var answer in await Task.WhenAll(pending.Keys).Within("both answers"))
            {
                Assert.Equal(200, answer.Status);
                Assert.Contains("data=x", answer.Text, StringComparison.Ordinal);
            }
        }
        finally
        {
            foreach (var client in clients)
            {
                await client.DisposeAsync();
            }
        }
    }
}
