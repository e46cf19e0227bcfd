namespace FastCgi.WebServerTests.Authorizer;

/// <summary>
/// The authorizer role (FastCGI 1.0, section 6.3): a web server asks before it lets a request pass to its next
/// handler, here the same application as responder.
/// </summary>
public abstract class AuthorizerTests
{
    private protected const string DocumentedSocket = "/run/app/app.sock";

    [Fact]
    public async Task A_request_that_is_allowed_reaches_the_responder_with_the_authorizers_variables()
    {
        await using var site = await StartAsync();
        var response = await site.SendAsync("GET /hall HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, "GET /hall by guest of red: "), (response.Status, response.Text));
        Assert.Null(response.Header("Variable-MEMBER"));
    }

    [Fact]
    public async Task A_body_is_left_for_the_responder_and_not_waited_for_by_the_authorizer()
    {
        await using var site = await StartAsync();
        var response = await site.SendAsync("POST /hall HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        Assert.Equal((200, "POST /hall by guest of red: hello"), (response.Status, response.Text));
    }

    [Fact]
    public async Task A_request_without_credentials_is_asked_for_them_by_the_authorizer()
    {
        await using var site = await StartAsync();
        var response = await site.SendAsync("GET /members/list HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((401, "Basic realm=\"door\""), (response.Status, response.Header("WWW-Authenticate")));
        Assert.Equal("who are you?", response.Text);
    }

    [Fact]
    public async Task Right_credentials_open_and_wrong_ones_do_not()
    {
        await using var site = await StartAsync();
        async Task<RawResponse> AskAsync(string password) => await site.SendAsync(
            $"GET /members/list HTTP/1.1\r\nHost: h\r\n{DoorApp.Credentials("ann", password)}\r\n");

        Assert.Equal(401, (await AskAsync("guess")).Status);
        Assert.Equal("GET /members/list by ann of red: ", (await AskAsync("secret")).Text);
        Assert.Equal(401, (await AskAsync("")).Status);
    }

    [Fact]
    public async Task A_request_that_is_refused_gets_the_authorizers_answer()
    {
        await using var site = await StartAsync();
        var response = await site.SendAsync("POST /closed HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        Assert.Equal((403, "closed to everybody"), (response.Status, response.Text));

        Assert.Equal(200, (await site.SendAsync("GET /hall HTTP/1.1\r\nHost: h\r\n\r\n")).Status);
    }

    /// <summary>The configuration that the documentation gives.</summary>
    private protected static string Documented(string language) =>
        Assert.Single(MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "users.md"), language, "Authorizers"));

    /// <summary>A web server that asks the application in both roles.</summary>
    private protected abstract Task<WebServer> StartAsync(ServedApp app);

    private Task<Site> StartAsync() => Site.StartAsync(StartAsync, DoorApp.Configure);
}
