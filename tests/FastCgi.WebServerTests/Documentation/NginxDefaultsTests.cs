namespace FastCgi.WebServerTests.Documentation;

/// <summary>
/// What docs/from-kestrel.md says of <c>proxy_pass</c> beside <c>fastcgi_pass</c> and <c>scgi_pass</c> without further
/// lines. The peer reads what nginx sends, and answers nothing.
/// </summary>
public sealed class NginxDefaultsTests
{
    public static TheoryData<string, string> Passes => new()
    {
        { "proxy_pass http://app;", "abc" },
        { "include /etc/nginx/fastcgi_params; fastcgi_pass app;", "\u0001\u0005\0\u0001\0\0\0\0" },
        { "include /etc/nginx/scgi_params; scgi_pass app;", "abc" },
    };

    [Theory, MemberData(nameof(Passes))]
    public async Task A_request_is_repeated_unless_it_is_a_POST(string pass, string end)
    {
        await using var peer = new SilentPeer(end);
        await using var nginx = await StartAsync(pass, peer);

        Assert.Equal((502, 2), (await AskAsync(nginx, "GET"), peer.TakeCount()));
        Assert.Equal((502, 2), (await AskAsync(nginx, "PUT"), peer.TakeCount()));
        Assert.Equal((502, 1), (await AskAsync(nginx, "POST"), peer.TakeCount()));
    }

    [Theory, MemberData(nameof(Passes))]
    public async Task A_request_comes_when_the_whole_body_is_there(string pass, string end)
    {
        await using var peer = new SilentPeer(end);
        await using var nginx = await StartAsync(pass, peer);
        await using var slow = await RawHttpClient.ConnectAsync(nginx.EndPoint);
        await slow.SendAsync("POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na");

        await AskAsync(nginx, "POST");
        await slow.SendAsync("bc");
        Assert.Equal(502, (await slow.ReadResponseAsync()).Status);

        var requests = peer.Take();
        Assert.Contains("/page", requests[0], StringComparison.Ordinal);
        Assert.Contains("/slow", Assert.Single(requests.Skip(1)), StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Passes))]
    public async Task The_host_is_the_name_of_the_upstream_for_proxy_pass_alone(string pass, string end)
    {
        await using var peer = new SilentPeer(end);
        await using var nginx = await StartAsync(pass, peer);

        await AskAsync(nginx, "POST");

        var request = Assert.Single(peer.Take());
        Assert.DoesNotContain("FORWARDED", request.ToUpperInvariant(), StringComparison.Ordinal);
        if (pass.StartsWith("proxy_pass", StringComparison.Ordinal))
        {
            Assert.Contains("Host: app\r\n", request, StringComparison.Ordinal);
            // From nginx 1.29.7 on it is HTTP/1.1, and the connection stays.
            Assert.Matches("^POST /page HTTP/1.[01]\r\n", request);
        }
        else
        {
            Assert.Contains("HTTP_HOST", request, StringComparison.Ordinal);
            Assert.Contains("www.example.com", request, StringComparison.Ordinal);
        }
    }

    private static Task<WebServer> StartAsync(string pass, SilentPeer peer) =>
        WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            upstream app { server {{peer.EndPoint}} max_fails=0; server {{peer.EndPoint}} max_fails=0; }
            server { listen {{endPoint}}; location / { {{pass}} } }
            """);

    private static async Task<int> AskAsync(WebServer nginx, string method)
    {
        await using var client = await RawHttpClient.ConnectAsync(nginx.EndPoint);
        await client.SendAsync(
            $"{method} /page HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
        return (await client.ReadResponseAsync()).Status;
    }

    /// <summary>Reads one request on each connection, and closes it.</summary>
    private sealed class SilentPeer : IAsyncDisposable
    {
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly List<string> _requests = [];
        private readonly string _end;
        private readonly Task _running;

        /// <param name="end">The last bytes of a request.</param>
        public SilentPeer(string end)
        {
            _end = end;
            _listener.Start();
            _running = RunAsync();
        }

        public EndPoint EndPoint => _listener.LocalEndpoint;

        public int TakeCount() => Take().Length;

        public string[] Take()
        {
            lock (_requests)
            {
                string[] all = [.. _requests];
                _requests.Clear();
                return all;
            }
        }

        public async ValueTask DisposeAsync()
        {
            _listener.Stop();
            await _running.Within("the end of the peer");
        }

        private async Task RunAsync()
        {
            while (true)
            {
                try
                {
                    using var socket = await _listener.AcceptSocketAsync();
                    await ReadAsync(socket);
                }
                catch (SocketException)
                {
                    return;
                }
                catch (ObjectDisposedException)
                {
                    return;
                }
            }
        }

        private async Task ReadAsync(Socket socket)
        {
            var text = new StringBuilder();
            var buffer = new byte[4096];
            while (await socket.ReceiveAsync(buffer) is > 0 and var count)
            {
                text.Append(Encoding.Latin1.GetString(buffer, 0, count));
                if (text.ToString().EndsWith(_end, StringComparison.Ordinal))
                {
                    break;
                }
            }

            // Before the close, which nginx answers by the next attempt or by 502.
            lock (_requests)
            {
                _requests.Add(text.ToString());
            }
        }
    }
}
