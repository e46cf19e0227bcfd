using System.Text.RegularExpressions;

namespace FastCgi.WebServerTests.WebSockets;

/// <summary>
/// WebSockets through the lighttpd of this machine, configured as docs/websockets.md says. From 1.4.74 they work.
/// Debian 12 has 1.4.69: the endpoint allows no upgrade there, so the client is refused at once.
/// </summary>
public sealed partial class LighttpdTests
{
    private static readonly string _page = Path.Combine(Repository.Root, "docs", "websockets.md");

    [Theory]
    [InlineData("FastCGI")]
    [InlineData("SCGI")]
    public async Task Messages_of_every_size_come_back_or_the_handshake_is_refused(string protocol)
    {
        var passesUpgrades = await ReadVersionAsync() >= new Version(1, 4, 74);
        await using var site = await StartAsync(protocol, allowsUpgrade: passesUpgrades);
        if (passesUpgrades)
        {
            await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");
            foreach (var size in (int[])[0, 1, 125, 126, 65_535, 65_536, 3_000_000])
            {
                var content = RandomNumberGenerator.GetBytes(size);
                var sending = client.SendAsync(content);
                var (type, received) = await client.ReceiveAsync();
                await sending;
                Assert.Equal(WebSocketMessageType.Binary, type);
                Assert.True(received.AsSpan().SequenceEqual(content), $"The echo of {size} bytes differs.");
            }

            await client.CloseAsync();
        }
        else
        {
            Assert.Equal(HttpStatusCode.BadRequest, await SocketClient.RefusalAsync(site.WebServer));
        }

        Assert.Equal("a page", (await site.AskAsync("/")).Text);
    }

    /// <summary>
    /// lighttpd offers browsers WebSockets through HTTP/2 (RFC 8441), and passes none of them to a FastCGI or SCGI
    /// application: the client waits in vain. So the page switches HTTP/2 off.
    /// </summary>
    [Fact]
    public async Task The_documented_configuration_speaks_no_http2()
    {
        await using var site = await StartAsync("FastCGI", allowsUpgrade: true);
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://{site.WebServer.EndPoint}/")
        {
            Version = new Version(2, 0),
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };

        await Assert.ThrowsAsync<HttpRequestException>(() => site.Client.SendAsync(request).Within("the refusal"));
    }

    private static Task<Site> StartAsync(string protocol, bool allowsUpgrade) => Site.StartAsync(
        app => WebServerProgram.Lighttpd.StartAsync(protocol == "FastCGI"
            ? "server.modules += ( \"mod_fastcgi\" )\n"
                + Assert.Single(MarkdownBlocks.Read(_page, "lighttpd")).With("/run/app/app.sock", app.SocketPath)
            : $"""
                server.modules += ( "mod_scgi" )
                scgi.server = ( "/" => (( "socket" => "{app.ScgiSocketPath}", "check-local" => "disable",
                  "fix-root-scriptname" => "enable", "upgrade" => "enable" )) )
                """),
        static app => SocketSite.Configure(app, SocketSite.EchoAsync),
        builder => builder.Configuration["FastCgi:EndpointDefaults:AllowUpgrade"] = $"{allowsUpgrade}");

    private static async Task<Version> ReadVersionAsync()
    {
        var version = await ChildProcess.SucceedAsync(InstalledProgram.Find("lighttpd"), ["-v"], Repository.Root);
        return Version.Parse(Number().Match(version.ToString()).Value);
    }

    [GeneratedRegex(@"\d+\.\d+\.\d+")]
    private static partial Regex Number();
}
