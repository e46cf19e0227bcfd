namespace FastCgi.SampleTests.Form;

public sealed class FormOnTestServerTests(FormOnTestServer site) : FormTests(site), IClassFixture<FormOnTestServer>;

public sealed class FormOnFastCgiTests(FormOnFastCgi site) : FormTests(site), IClassFixture<FormOnFastCgi>;

public sealed class FormBehindNginxTests(FormBehindNginx site) : FormTests(site), IClassFixture<FormBehindNginx>
{
    [Fact]
    public async Task A_head_beyond_the_limit_is_answered_with_431_and_the_next_request_as_ever()
    {
        // Each fits into nginx' buffers, all three are more than the 16 KiB of the settings.
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("/", UriKind.Relative));
        for (var number = 1; number <= 3; number++)
        {
            request.Headers.Add($"X-Large-{number}", new string('x', 6000));
        }

        using var refused = await site.Client.SendAsync(request).Within("the refusal");
        Assert.Equal(431, (int)refused.StatusCode);

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Get, "/");
        Assert.Equal("GET", page.Shown("method"));
    }
}
