namespace FastCgi.WebServerTests.Documentation;

/// <summary>The lines of docs/behind-a-proxy.md, in an nginx that a balancer asks.</summary>
public sealed class BehindAProxyTests
{
    private const string Balancer = "10.0.0.0/8";

    [Theory]
    [InlineData("127.0.0.0/8", "203.0.113.9 https")]
    [InlineData(Balancer, "127.0.0.1 http")]
    public async Task Only_a_balancer_that_is_named_says_who_the_client_is(string trusted, string expected)
    {
        await using var site = await StartAsync(trusted, static endPoint => $"listen {endPoint};");

        var response = await site.AskAsync("/", "X-Forwarded-For: 6.6.6.6, 203.0.113.9", "X-Forwarded-Proto: https");

        Assert.Equal(expected, response.Text);
    }

    [Theory]
    [InlineData("127.0.0.0/8", "http", "http")]
    [InlineData("127.0.0.0/8", "https", "https")]
    [InlineData(Balancer, "http", "https")]
    public async Task A_balancer_that_asks_by_TLS_says_how_the_client_asked_it(
        string trusted, string proto, string expected)
    {
        await using var site = await StartAsync(
            trusted, static endPoint => $"listen {endPoint} ssl; {TestCertificate.NginxLines}");
        using var client = TestClient.Create(site.WebServer.EndPoint, isEncrypted: true);
        client.DefaultRequestHeaders.Add("X-Forwarded-Proto", proto);

        Assert.Equal($"127.0.0.1 {expected}", await client.GetStringAsync("/").Within("the answer"));
    }

    private static Task<Site> StartAsync(string trusted, Func<IPEndPoint, string> listen)
    {
        var blocks = MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "behind-a-proxy.md"), "nginx")
            .Select(block => block.Replace(Balancer, trusted, StringComparison.Ordinal)).ToList();
        Assert.Equal(3, blocks.Count);
        return Site.StartAsync(
            app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
                {{blocks[1]}}
                server {
                    {{listen(endPoint)}}
                    {{blocks[0]}}
                    location / {
                        include /etc/nginx/fastcgi_params;
                        {{blocks[2]}}
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                }
                """),
            app => app.Run(context => context.Response.WriteAsync(
                $"{context.Connection.RemoteIpAddress} {context.Request.Scheme}")));
    }
}
