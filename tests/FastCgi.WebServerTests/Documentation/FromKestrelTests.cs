namespace FastCgi.WebServerTests.Documentation;

/// <summary>The nginx of docs/from-kestrel.md: one application on both servers, a share of the clients on each.</summary>
public sealed class FromKestrelTests
{
    private static readonly string _page = Path.Combine(Repository.Root, "docs", "from-kestrel.md");

    [Theory]
    [InlineData("100% @fastcgi;", "FastCGI")]
    [InlineData("", "Kestrel")]
    public async Task A_share_of_the_clients_goes_to_each_server(string share, string server)
    {
        using var directory = new WorkDirectory();
        var socket = directory.File("app.sock");
        var kestrel = new IPEndPoint(IPAddress.Loopback, FreePort.Take());
        var builder = WebApplication.CreateSlimBuilder(["--urls", $"http://{kestrel}"]);
        builder.WebHost.UseFastCgi(options => options.ListenUnixSocket(socket));
        builder.WebHost.UseKestrelBesideFastCgi();
        await using var app = builder.Build();
        app.MapGet("/{*path}", static (HttpContext context) =>
            $"{(context.Features.Get<IFastCgiRequestFeature>() is null ? "Kestrel" : "FastCGI")} " +
            $"{context.Request.Host}{context.Request.Path}{context.Request.QueryString}");
        await app.StartAsync().Within("the start");
        await using var nginx = await StartNginxAsync(share, socket, kestrel);
        using var client = TestClient.Create(nginx.EndPoint);

        Assert.Equal(
            $"{server} {nginx.EndPoint}/a%20b?c=d", await client.GetStringAsync("/a%20b?c=d").Within("the answer"));
    }

    /// <summary>The page's own program, where nginx has TLS: both servers know what the client asked for.</summary>
    [Fact]
    public async Task Both_servers_make_the_same_of_a_request()
    {
        var kestrel = new IPEndPoint(IPAddress.Loopback, FreePort.Take());
        await using var app = await DocumentedPrograms.StartFromKestrelAsync(kestrel);
        List<string> answers = [];
        foreach (var share in new[] { "100% @fastcgi;", "" })
        {
            await using var nginx = await StartNginxAsync(
                share, DocumentedPrograms.FromKestrelSocket, kestrel, $" ssl; {TestCertificate.NginxLines}");
            using var client = TestClient.Create(nginx.EndPoint, isEncrypted: true);
            client.DefaultRequestHeaders.Host = "site.example";
            answers.Add(await client.GetStringAsync("/").Within("the answer"));
        }

        Assert.All(answers, static answer => Assert.Equal("You asked for / on site.example by https.", answer));
    }

    private static Task<WebServer> StartNginxAsync(
        string share, string socket, IPEndPoint kestrel, string listen = ";") =>
        WebServerProgram.Nginx.StartAsync(endPoint =>
            Assert.Single(MarkdownBlocks.Read(_page, "nginx"))
                .With("listen 80;", $"listen {endPoint}{listen}")
                .With("10%  @fastcgi;", share)
                .With("include ", "include /etc/nginx/")
                .With("/run/app/app.sock", socket)
                .With("127.0.0.1:5000", kestrel.ToString()));
}
