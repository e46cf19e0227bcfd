namespace FastCgi.WebServerTests.OtherServers;

/// <summary>
/// An HTTP/2 request may have a Host beside its :authority. Caddy chooses the site by the one, and sends the other as
/// HTTP_HOST: a client could reach an application under any name.
/// </summary>
public sealed class CaddyHostTests
{
    private const int Data = 0;

    private static readonly WebServerProgram s_caddy = WebServerProgram.Caddy with
    {
        Configure = static (directory, endPoint, site) => WebServerProgram.Caddy.Configure(directory, endPoint, site)
            .Replace("auto_https off", "auto_https off\nservers {\nprotocols h1 h2c\n}", StringComparison.Ordinal),
    };

    [Theory]
    [InlineData("shop.example", "seen shop.example")]
    [InlineData("SHOP.example:80", "seen SHOP.example:80")]
    [InlineData("evil.example", "names another host")]
    public async Task A_host_beside_the_authority_is_no_other_one(string host, string answer)
    {
        await using var site = await Site.StartAsync(
            app => s_caddy.StartAsync(endPoint => $$"""
                http://shop.example:{{endPoint.Port}} {
                    bind {{endPoint.Address}}
                    reverse_proxy unix/{{app.SocketPath}} {
                        transport fastcgi
                    }
                }
                """),
            static app => app.Run(static context => context.Response.WriteAsync($"seen {context.Request.Host}")));

        Assert.Contains(answer, await AskAsync(site, "shop.example", host), StringComparison.Ordinal);
    }

    /// <summary>GET / by HTTP/2 (RFC 9113), with fields of HPACK's static table. Returns the body of the answer.</summary>
    private static async Task<string> AskAsync(Site site, string authority, string host)
    {
        byte[] fields =
        [
            0x82, 0x86, 0x84, 0x41, (byte)authority.Length, .. Encoding.ASCII.GetBytes(authority),
            0x0F, 0x17, (byte)host.Length, .. Encoding.ASCII.GetBytes(host),
        ];
        byte[] request =
        [
            .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, 0, 0, 0, 4, 0, 0, 0, 0, 0,
            0, 0, (byte)fields.Length, 1, 5, 0, 0, 0, 1, .. fields,
        ];
        using var client = new TcpClient();
        await client.ConnectAsync(site.WebServer.EndPoint).Within("a connection to Caddy");
        await client.GetStream().WriteAsync(request);
        while (true)
        {
            (int type, byte[] payload) = await ReadFrameAsync(client.GetStream()).Within("a frame");
            if (type == Data)
            {
                return Encoding.ASCII.GetString(payload);
            }
        }
    }

    private static async Task<(int Type, byte[] Payload)> ReadFrameAsync(NetworkStream stream)
    {
        byte[] header = new byte[9];
        await stream.ReadExactlyAsync(header);
        byte[] payload = new byte[(header[0] << 16) | (header[1] << 8) | header[2]];
        await stream.ReadExactlyAsync(payload);
        return (header[3], payload);
    }
}
