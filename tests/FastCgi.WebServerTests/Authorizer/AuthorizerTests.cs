using FastCgi.WebServerTests.Identity;
using Microsoft.Extensions.Primitives;

namespace FastCgi.WebServerTests.Authorizer;

/// <summary>
/// The authorizer role (FastCGI 1.0, section 6.3): a web server asks before it lets a request pass to its next
/// handler, here the same application as responder.
/// </summary>
public abstract class AuthorizerTests(SharedSite shared) : IClassFixture<SharedSite>
{
    [Fact]
    public async Task A_request_that_is_allowed_reaches_the_responder_with_the_authorizers_variables()
    {
        var site = await StartAsync();
        var response = await site.AskAsync("/hall");
        Assert.Equal((200, "GET /hall by guest of red: "), (response.Status, response.Text));
        Assert.Null(response.Header("Variable-MEMBER"));
    }

    [Fact]
    public async Task A_body_is_left_for_the_responder_and_not_waited_for_by_the_authorizer()
    {
        var site = await StartAsync();
        var response = await site.SendAsync("POST /hall HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        Assert.Equal((200, "POST /hall by guest of red: hello"), (response.Status, response.Text));
    }

    [Fact]
    public async Task A_request_without_credentials_is_asked_for_them_by_the_authorizer()
    {
        var site = await StartAsync();
        var response = await site.AskAsync("/members/list");
        Assert.Equal((401, "Basic realm=\"door\""), (response.Status, response.Header("WWW-Authenticate")));
        Assert.Equal("who are you?", response.Text);
    }

    [Fact]
    public async Task Right_credentials_open_and_wrong_ones_do_not()
    {
        var site = await StartAsync();
        Task<RawResponse> AskAsync(string password) =>
            site.AskAsync("/members/list", MembersApp.Credentials("ann", password));

        Assert.Equal(401, (await AskAsync("guess")).Status);
        Assert.Equal("GET /members/list by ann of red: ", (await AskAsync("secret")).Text);
        Assert.Equal(401, (await AskAsync("")).Status);
    }

    [Fact]
    public async Task A_request_that_is_refused_gets_the_authorizers_answer()
    {
        var site = await StartAsync();
        var response = await site.SendAsync("POST /closed HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        Assert.Equal((403, "closed to everybody"), (response.Status, response.Text));

        Assert.Equal(200, (await site.AskAsync("/hall")).Status);
    }

    /// <summary>A file in the place of the responder would be <c>/members/list</c>.</summary>
    [Fact]
    public async Task A_path_that_a_file_reads_otherwise_is_refused()
    {
        var site = await StartAsync();

        Assert.Equal(400, (await site.AskAsync("//members/list", MembersApp.Credentials("ann"))).Status);
    }

    /// <summary>Who asks for this needs the password of what the authorizer and the responder see.</summary>
    private protected async Task AssertJudgedAsync(string target, string path)
    {
        var site = await StartAsync();
        var refused = await site.AskAsync(target);
        Assert.Equal((401, "who are you?"), (refused.Status, refused.Text));
        var allowed = await site.AskAsync(target, MembersApp.Credentials("ann"));
        Assert.Equal($"GET {path} by ann of red: ", allowed.Text);
    }

    /// <summary>A web server that asks the application in both roles.</summary>
    private protected abstract Task<WebServer> StartAsync(ServedApp app);

    private protected Task<Site> StartAsync() =>
        shared.StartedAsync(() => Site.StartAsync(StartAsync, DoorApp.Configure));
}

/// <summary>mod_authnz_fcgi asks over TCP only; the responder behind it is reached on the unix socket.</summary>
public sealed class ApacheAuthorizerTests(SharedSite shared) : AuthorizerTests(shared)
{
    private protected override Task<WebServer> StartAsync(ServedApp app)
    {
        var responder = $"unix:{app.SocketPath}|fcgi://app";
        return WebServerProgram.Apache(
            "authn_core", "authz_core", "authz_user", "authnz_fcgi", "proxy", "proxy_fcgi").StartAsync($"""
            ProxyPass "/members/raw/" "{responder}/members/raw/" nocanon
            ProxyPass "/members/encoded/" "{responder}/members/encoded/" mapping=encoded
            ProxyPass "/door/" "{responder}/members/"
            {IdentityPage.Authorizers("apache").WithSocket(app).With("127.0.0.1:9000", app.TcpEndPoint.ToString())}
            """);
    }

    /// <summary>Apache asks about a decoded path, and encodes it for the responder later.</summary>
    [Theory]
    [InlineData("/members/%252E%252E", "/members/%2E%2E")]
    [InlineData("/members/a%3Fb", "/members/a%3Fb")]
    [InlineData("/members/raw/%252E%252E", "/members/raw/%2E%2E")]
    [InlineData("/members/encoded/%252E%252E", "/members/encoded/%2E%2E")]
    [InlineData("/door/a%20b", "/members/a%20b")]
    [InlineData("/hall//../members", "/members")]
    public Task The_authorizer_judges_the_path_that_the_responder_serves(string target, string path) =>
        AssertJudgedAsync(target, path);

    /// <summary>Behind another prefix, <c>/members/%2E%2E</c> may be decoded, or the root.</summary>
    [Fact]
    public async Task A_path_that_may_mean_two_things_is_refused()
    {
        var site = await StartAsync();

        Assert.Equal(400, (await site.AskAsync("/door/%252E%252E")).Status);
    }
}

public sealed class LighttpdAuthorizerTests(SharedSite shared) : AuthorizerTests(shared)
{
    private protected override Task<WebServer> StartAsync(ServedApp app) =>
        WebServerProgram.Lighttpd.StartAsync($"""
            {IdentityPage.Authorizers("lighttpd").WithSocket(app)}
            server.modules += ( "mod_rewrite" )
            url.rewrite-once = ( "^/alias/(.*)$" => "/members/$1" )
            """);

    [Theory]
    [InlineData("/alias/list", "/members/list")]
    [InlineData("/hall//../members/list", "/members/list")]
    [InlineData("/hall/x%2F..%2F../members/list", "/members/list")]
    [InlineData("/hall/../../members/list", "/members/list")]
    public Task A_request_is_judged_by_the_page_that_lighttpd_asks_for(string target, string path) =>
        AssertJudgedAsync(target, path);
}

/// <summary>
/// An ordinary application in both roles: as authorizer it decides who may enter, as responder it shows whom the
/// authorizer let in. Neither reads anything but what ASP.NET Core shows to every application.
/// </summary>
internal static class DoorApp
{
    public static void Configure(WebApplication app)
    {
        app.MapWhen(
            context => context.Features.Get<IFastCgiRequestFeature>()?.Role == FastCgiRole.Authorizer,
            door => door.Run(DecideAsync));
        app.Map("/{**path}", async (HttpRequest request) =>
        {
            using var body = new StreamReader(request.Body);
            return $"{request.Method} {request.Path} by {request.HttpContext.GetServerVariable("MEMBER") ?? "nobody"}"
                + $" of {request.HttpContext.GetServerVariable("TEAM") ?? "none"}: {await body.ReadToEndAsync()}";
        });
    }

    private static Task DecideAsync(HttpContext context)
    {
        var response = context.Response;
        var path = context.Request.Path;
        if (path.StartsWithSegments("/closed"))
        {
            response.StatusCode = StatusCodes.Status403Forbidden;
            return response.WriteAsync("closed to everybody");
        }

        if (path.StartsWithSegments("/members")
            && context.Request.Headers.Authorization != $"Basic {Convert.ToBase64String("ann:secret"u8)}")
        {
            response.StatusCode = StatusCodes.Status401Unauthorized;
            response.Headers.WWWAuthenticate = new StringValues("Basic realm=\"door\"");
            return response.WriteAsync("who are you?");
        }

        response.Headers["Variable-MEMBER"] = path.StartsWithSegments("/members") ? "ann" : "guest";
        response.Headers["Variable-TEAM"] = "red";
        return Task.CompletedTask;
    }
}
