using System.Security.Claims;
using FastCgi.Gateway.Tests.Development;

namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>What the application is told: target, headers without those of the hop, and the gateway's own facts.</summary>
public sealed class ForwardedHeadTests
{
    [Theory]
    [InlineData("GET /a%20b//c/../d?x=%2F&y", "REQUEST_URI=/a%20b//c/../d?x=%2F&y")]
    [InlineData("GET http://example.org/a?b", "REQUEST_URI=/a?b")]
    [InlineData("GET http://example.org?b", "REQUEST_URI=/?b")]
    [InlineData("GET http://example.org", "REQUEST_URI=/")]
    [InlineData("GET /caf%C3%A9?", "REQUEST_URI=/caf%C3%A9?")]
    // As by nginx: REQUEST_URI keeps the fragment, which no client may send, and the query has none.
    [InlineData("GET /a?b=1#c", "REQUEST_URI=/a?b=1#c", "QUERY_STRING=b=1")]
    [InlineData("GET /a?b#c#d?e", "REQUEST_URI=/a?b#c#d?e", "QUERY_STRING=b")]
    [InlineData("GET /a?#", "REQUEST_URI=/a?#", "QUERY_STRING=")]
    public async Task The_target_is_the_one_that_the_client_sent(string line, params string[] expected) =>
        AssertHas(await ExchangeAsync($"{line} HTTP/1.1\r\nHost: example.org\r\n\r\n"), expected);

    [Theory]
    [InlineData("Cookie: a=1\r\nCookie: b=2", "HTTP_COOKIE=a=1; b=2")]
    [InlineData("X-Two: 1\r\nX-Two: 2", "HTTP_X_TWO=1, 2")]
    [InlineData("Content-Type: text/plain", "CONTENT_TYPE=text/plain")]
    // As by nginx the first one counts: the list of both would be no type.
    [InlineData(
        "Content-Type: text/plain; a=\"b, c\"\r\nContent-Type: text/html\r\nContent-Length: 0",
        "CONTENT_TYPE=text/plain; a=\"b, c\"")]
    public async Task Repeated_headers_are_joined_and_cookies_by_their_own_sign(string headers, string expected) =>
        AssertHas(await ExchangeAsync($"POST / HTTP/1.1\r\nHost: example.org\r\n{headers}\r\n\r\n"), expected);

    [Fact]
    public async Task A_rewritten_path_leaves_the_target_alone()
    {
        ReceivedRequest request = await ExchangeAsync(
            "GET /old?q HTTP/1.1\r\nHost: example.org\r\n\r\n",
            application => application.Use((context, next) =>
            {
                context.Request.Path = "/new";
                return next(context);
            }));
        Assert.Equal("/old?q", request["REQUEST_URI"]);
        Assert.Equal("/new", request["PATH_INFO"]);
        Assert.Equal("/new", request["DOCUMENT_URI"]);
    }

    [Theory]
    [InlineData("/a%41 b", "/a%2541%20b?q")]
    [InlineData("/a%2Fb", "/a%2Fb?q")]
    public async Task A_target_that_the_server_has_not_kept_is_decoded_to_the_path(string path, string expected)
    {
        ReceivedRequest request = await ExchangeAsync(
            "GET /?q HTTP/1.1\r\nHost: example.org\r\n\r\n",
            application => application.Use((context, next) =>
            {
                context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget = "";
                context.Request.Path = new PathString(path);
                return next(context);
            }));
        Assert.Equal(expected, request["REQUEST_URI"]);
        Assert.Equal(path, request["PATH_INFO"]);
    }

    [Fact]
    public async Task Headers_of_the_hop_stay_there_and_the_host_belongs_to_none()
    {
        ReceivedRequest request = await ExchangeAsync(
            "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: X-Nominated, host\r\nX-Nominated: 1\r\n" +
            "Keep-Alive: 5\r\nTE: trailers\r\nTrailer: X\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n" +
            "Proxy-Connection: x\r\nProxy-Authorization: Basic eA==\r\nX-Kept: 1\r\n\r\n");
        Assert.Equal(
            ["HTTP_HOST", "HTTP_X_KEPT"],
            request.Parameters.Keys.Where(static name => name.StartsWith("HTTP_", StringComparison.Ordinal)).Order());
        Assert.Equal(("example.org", "example.org"), (request["HTTP_HOST"], request["SERVER_NAME"]));
    }

    /// <summary>Host filtering and routes have judged this one, also where .NET's parser of the header refuses it.</summary>
    [Theory]
    [InlineData("example.org:99999", "example.org")]
    [InlineData("a!b.tenant.example", "a!b.tenant.example")]
    [InlineData("a..tenant.example", "a..tenant.example")]
    public async Task The_host_is_the_one_that_the_client_sent(string host, string name) =>
        AssertHas(
            await ExchangeAsync($"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            $"HTTP_HOST={host}",
            $"SERVER_NAME={name}");

    [Theory]
    [InlineData("close")]
    [InlineData("keep-alive, Upgrade")]
    [InlineData("Host, X-A", "X-A")]
    [InlineData("X-A", "X-A")]
    [InlineData(" x-a ,, keep-alive,\tX-B", "x-a", "X-B")]
    public void Connection_nominates(string connection, params string[] names) => Assert.Equal(
        names.Order(), (HopByHopHeaders.Nominated(connection) ?? []).Order());

    [Fact]
    public async Task The_client_sets_no_fact()
    {
        ReceivedRequest request = await ExchangeAsync(
            "GET / HTTP/1.1\r\nHost: example.org:81\r\nRemote-Addr: 6.6.6.6\r\nRemote_Addr: 6.6.6.6\r\n" +
            "Https: on\r\nRemote-User: root\r\nServer-Name: evil\r\nScript.Name: /x\r\nProxy: http://evil\r\n\r\n");
        Assert.Equal("127.0.0.1", request["REMOTE_ADDR"]);
        Assert.Equal("example.org", request["SERVER_NAME"]);
        Assert.Equal("example.org:81", request["HTTP_HOST"]);
        Assert.Equal("http", request["REQUEST_SCHEME"]);
        Assert.Equal("HTTP/1.1", request["SERVER_PROTOCOL"]);
        Assert.Equal("127.0.0.1", request["SERVER_ADDR"]);
        Assert.NotEqual("81", request["SERVER_PORT"]);
        Assert.NotEqual("0", request["REMOTE_PORT"]);
        Assert.Equal("6.6.6.6", request["HTTP_REMOTE_ADDR"]);
        foreach (string name in (string[])["HTTPS", "REMOTE_USER", "AUTH_TYPE", "HTTP_PROXY", "HTTP_SCRIPT_NAME"])
        {
            Assert.False(request.Parameters.ContainsKey(name), name);
        }
    }

    [Fact]
    public async Task The_facts_are_those_of_the_context()
    {
        using var certificate = GatewayAddressTests.SelfMade();
        ReceivedRequest request = await ExchangeAsync(
            "GET /base/x HTTP/1.1\r\nHost: example.org\r\n\r\n",
            application => application.UsePathBase("/base").Use((context, next) =>
            {
                context.Request.Scheme = "https";
                context.Connection.RemoteIpAddress = IPAddress.Parse("::ffff:203.0.113.7");
                context.Connection.RemotePort = 1234;
                context.Connection.LocalIpAddress = IPAddress.Parse("::ffff:192.0.2.1");
                context.Connection.LocalPort = 443;
                context.Connection.ClientCertificate = certificate;
                context.User = new ClaimsPrincipal(new ClaimsIdentity([new(ClaimTypes.Name, "ada")], "Basic"));
                return next(context);
            }));
        Assert.Equal("203.0.113.7", request["REMOTE_ADDR"]);
        Assert.Equal("1234", request["REMOTE_PORT"]);
        Assert.Equal("192.0.2.1", request["SERVER_ADDR"]);
        Assert.Equal("443", request["SERVER_PORT"]);
        Assert.False(request.Parameters.ContainsKey("SSL_CLIENT_VERIFY"));
        Assert.Equal(certificate.ExportCertificatePem(), request["SSL_CLIENT_CERT"]);
        Assert.Equal("on", request["HTTPS"]);
        Assert.Equal("https", request["REQUEST_SCHEME"]);
        Assert.Equal("ada", request["REMOTE_USER"]);
        Assert.Equal("Basic", request["AUTH_TYPE"]);
        Assert.Equal("/base", request["SCRIPT_NAME"]);
        Assert.Equal("/x", request["PATH_INFO"]);
        Assert.Equal("/base/x", request["REQUEST_URI"]);
    }

    /// <summary>Only who checked the certificate can say so: the web server in front of this one.</summary>
    [Theory]
    [InlineData("SUCCESS")]
    [InlineData("FAILED:self-signed certificate")]
    public async Task The_verdict_on_a_certificate_is_the_one_of_the_web_server(string verdict)
    {
        using var certificate = GatewayAddressTests.SelfMade();
        ReceivedRequest request = await ExchangeAsync(
            "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
            application => application.Use((context, next) =>
            {
                context.Request.Scheme = "https";
                context.Connection.ClientCertificate = certificate;
                context.Features.Set<IServerVariablesFeature>(new ServerVariables { ["SSL_CLIENT_VERIFY"] = verdict });
                return next(context);
            }));
        Assert.Equal(verdict, request["SSL_CLIENT_VERIFY"]);
    }

    [Fact]
    public async Task A_client_without_an_address_is_nobody()
    {
        ReceivedRequest request = await ExchangeAsync(
            "GET / HTTP/1.0\r\n\r\n",
            application => application.Use((context, next) =>
            {
                context.Connection.RemoteIpAddress = null;
                context.User = new ClaimsPrincipal(new ClaimsIdentity([new(ClaimTypes.Name, "unchecked")]));
                return next(context);
            }));
        Assert.Equal("unix:", request["REMOTE_ADDR"]);
        Assert.Equal("HTTP/1.0", request["SERVER_PROTOCOL"]);
        Assert.Equal("127.0.0.1", request["SERVER_NAME"]);
        Assert.False(request.Parameters.ContainsKey("HTTP_HOST"));
        Assert.False(request.Parameters.ContainsKey("REMOTE_USER"));
    }

    /// <summary>
    /// Kestrel takes it for a part of the path, and routes have judged that path. Frameworks of PHP would take the rest of
    /// REQUEST_URI for a fragment, and serve another page. In an absolute target Kestrel drops it.
    /// </summary>
    [Theory]
    [InlineData("/a#b", "/a%23b", "/a#b", "")]
    [InlineData("/a#/../b#?c=d#e", "/a%23/../b%23?c=d#e", "/b#", "c=d")]
    [InlineData("http://example.org/a#b?c", "/a?c", "/a", "c")]
    [InlineData("http://example.org/a?b#c", "/a?b#c", "/a", "b")]
    [InlineData("http://example.org#a/b", "/", "/", "")]
    public async Task A_number_sign_in_a_path_is_part_of_it(string target, string sent, string path, string query)
    {
        string? judged = null;
        ReceivedRequest request = await ExchangeAsync(
            $"GET {target} HTTP/1.1\r\nHost: example.org\r\n\r\n",
            before: app => app.Use((context, next) =>
            {
                judged = context.Request.Path.Value;
                return next(context);
            }));
        Assert.Equal((path, path), (judged, request["DOCUMENT_URI"]));
        Assert.Equal((sent, query), (request["REQUEST_URI"], request["QUERY_STRING"]));
    }

    private static void AssertHas(ReceivedRequest request, params string[] expected) => Assert.All(
        expected.Select(static pair => pair.Split('=', 2)), pair => Assert.Equal(pair[1], request[pair[0]]));

    private static async Task<ReceivedRequest> ExchangeAsync(
        string request, Action<IApplicationBuilder>? before = null)
    {
        // As the gateway's own handlers: what the client sent of a trace passes, and nothing is added.
        using var application = new ScriptedApplication(static options => options.ActivityHeadersPropagator = null);
        await using var front = await GatewayFront.ForwardAsync(application.Invoker, before: before);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync(request);
        var connection = await application.AcceptAsync();
        ReceivedRequest received = await connection.ExpectRequestAsync();
        await connection.RespondAsync("Content-Type: text/plain\r\n\r\nfine");
        Assert.Contains(" 200 OK", await client.ReadToAsync("fine"), StringComparison.Ordinal);
        return received;
    }

    private sealed class ServerVariables : Dictionary<string, string?>, IServerVariablesFeature;
}
