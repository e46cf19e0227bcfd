namespace FastCgi.Client.Tests.Requests;

/// <summary>What an application learns of a request (RFC 3875, section 4.1).</summary>
public sealed class RequestParameterTests
{
    [Fact]
    public async Task A_get_has_these_parameters_and_no_others()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "https://example.org:8443/a%20b/?c=d%20");
        request.Headers.Add("Accept", ["text/html", "*/*"]);
        var received = await ReceivedAsync(request);
        Assert.Equal(
            new Dictionary<string, string>
            {
                ["REQUEST_METHOD"] = "GET",
                ["REQUEST_URI"] = "/a%20b/?c=d%20",
                ["QUERY_STRING"] = "c=d%20",
                ["DOCUMENT_URI"] = "/a b/",
                ["SCRIPT_NAME"] = "",
                ["PATH_INFO"] = "/a b/",
                ["GATEWAY_INTERFACE"] = "CGI/1.1",
                ["SERVER_SOFTWARE"] = "FastCgi.Client",
                ["SERVER_PROTOCOL"] = "HTTP/1.1",
                ["REQUEST_SCHEME"] = "https",
                ["HTTPS"] = "on",
                ["SERVER_NAME"] = "example.org",
                ["SERVER_PORT"] = "8443",
                ["REMOTE_ADDR"] = "127.0.0.1",
                ["HTTP_HOST"] = "example.org:8443",
                ["HTTP_ACCEPT"] = "text/html, */*",
            }.OrderBy(static pair => pair.Key),
            received.Parameters.OrderBy(static pair => pair.Key));
        Assert.Equal((int)FastCgiRole.Responder, received.Role);
        Assert.Equal(1, received.Id);
    }

    [Theory]
    [InlineData("http://b\u00fccher.example/", "xn--bcher-kva.example", "xn--bcher-kva.example")]
    [InlineData("http://b\u00fccher.example:81/", "xn--bcher-kva.example:81", "xn--bcher-kva.example")]
    [InlineData("https://b\u00fccher.example:443/", "xn--bcher-kva.example", "xn--bcher-kva.example")]
    [InlineData("http://[::1]:81/", "[::1]:81", "[::1]")]
    [InlineData("http://[::1234]/", "[::1234]", "[::1234]")]
    [InlineData("http://[fe80::9c3a:b64d:6249:1de8%2]/", "[fe80::9c3a:b64d:6249:1de8]", "[fe80::9c3a:b64d:6249:1de8]")]
    [InlineData("http://127.0.0.1/", "127.0.0.1", "127.0.0.1")]
    [InlineData("http://user:password@127.0.0.1:81/", "127.0.0.1:81", "127.0.0.1")]
    [InlineData("http://user@example.org/", "example.org", "example.org")]
    public async Task The_host_is_written_as_in_HTTP(string uri, string host, string name)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, uri);
        var received = await ReceivedAsync(request);
        Assert.Equal(host, received["HTTP_HOST"]);
        Assert.Equal(name, received["SERVER_NAME"]);
    }

    /// <summary>.NET's parser refuses these, and servers accept them.</summary>
    [Theory]
    [InlineData("example.org:99999", "example.org")]
    [InlineData("a!b.tenant.example", "a!b.tenant.example")]
    [InlineData("a..tenant.example:81", "a..tenant.example")]
    public async Task The_host_of_the_header_wins_in_any_spelling(string host, string name)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        Assert.True(request.Headers.TryAddWithoutValidation("Host", host));
        var received = await ReceivedAsync(request);
        Assert.Equal(host, received["HTTP_HOST"]);
        Assert.Equal(name, received["SERVER_NAME"]);
    }

    [Fact]
    public async Task A_post_has_its_length_and_type()
    {
        using var request = ScriptedApplication.Post(new StringContent("body"));
        request.Content!.Headers.ContentLanguage.Add("de");
        var received = await ReceivedAsync(request);
        Assert.Equal("4", received["CONTENT_LENGTH"]);
        Assert.Equal("text/plain; charset=utf-8", received["CONTENT_TYPE"]);
        Assert.Equal("de", received["HTTP_CONTENT_LANGUAGE"]);
        Assert.DoesNotContain("HTTP_CONTENT_TYPE", received.Parameters.Keys);
        Assert.DoesNotContain("HTTP_CONTENT_LENGTH", received.Parameters.Keys);
        Assert.Equal("body"u8.ToArray(), received.Body);
    }

    [Fact]
    public async Task Options_of_the_request_win()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/app/x");
        request.Options.Set(FastCgiRequestOptions.Parameters, new Dictionary<string, string?>
        {
            ["REMOTE_USER"] = "ä",
            ["SERVER_SOFTWARE"] = null,
            ["QUERY_STRING"] = "own",
        });
        request.Options.Set(FastCgiRequestOptions.Role, FastCgiRole.Authorizer);
        request.Options.Set(FastCgiRequestOptions.PathBase, "/app");
        request.Options.Set(FastCgiRequestOptions.RemoteAddress, IPAddress.IPv6Loopback);
        request.Options.Set(FastCgiRequestOptions.RemotePort, 1234);
        request.Options.Set(FastCgiRequestOptions.LocalAddress, IPAddress.Parse("192.0.2.1"));
        request.Options.Set(FastCgiRequestOptions.LocalPort, 443);
        var received = await ReceivedAsync(request, static options =>
        {
            options.Parameters["QUERY_STRING"] = "of all";
            options.Parameters["PHP_VALUE"] = "memory_limit=1M";
        });
        Assert.Equal("ä", received["REMOTE_USER"]);
        Assert.Equal("own", received["QUERY_STRING"]);
        Assert.Equal("memory_limit=1M", received["PHP_VALUE"]);
        Assert.DoesNotContain("SERVER_SOFTWARE", received.Parameters.Keys);
        Assert.Equal((int)FastCgiRole.Authorizer, received.Role);
        Assert.Equal(("/app", "/x"), (received["SCRIPT_NAME"], received["PATH_INFO"]));
        Assert.Equal(("::1", "1234"), (received["REMOTE_ADDR"], received["REMOTE_PORT"]));
        Assert.Equal(("192.0.2.1", "443"), (received["SERVER_ADDR"], received["SERVER_PORT"]));
    }

    /// <summary>The path outside the mount point is told whole (RFC 3875, section 4.1.5: it begins with a slash).</summary>
    [Theory]
    [InlineData("/blog", "/blog", "")]
    [InlineData("/blog/", "/blog", "/")]
    [InlineData("/blog/x", "/blog/", "/x")]
    [InlineData("/blogger/x", "/blog", "/blogger/x")]
    [InlineData("/Blog/x", "/blog", "/Blog/x")]
    [InlineData("/blo", "/blog", "/blo")]
    [InlineData("/x", "/", "/x")]
    public async Task The_path_is_cut_behind_the_segments_of_the_mount_point(string path, string pathBase, string info)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://localhost{path}");
        request.Options.Set(FastCgiRequestOptions.PathBase, pathBase);
        var received = await ReceivedAsync(request);
        Assert.Equal((pathBase.TrimEnd('/'), info), (received["SCRIPT_NAME"], received["PATH_INFO"]));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Headers_that_can_be_mistaken_are_dropped(bool allowAmbiguous, bool allowProxy)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        foreach (string name in (string[])["X_A", "X.B", "Proxy", "Proxy-Connection", "TE", "Keep-Alive", "X-C"])
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, "v"));
        }

        request.Headers.TransferEncodingChunked = true;
        request.Headers.ConnectionClose = true;
        var received = await ReceivedAsync(request, options =>
        {
            options.AllowAmbiguousHeaderNames = allowAmbiguous;
            options.AllowProxyHeader = allowProxy;
        });
        string[] expected =
        [
            "HTTP_HOST", "HTTP_X_C",
            .. allowAmbiguous ? ["HTTP_X_A", "HTTP_X.B"] : (string[])[],
            .. allowProxy ? ["HTTP_PROXY"] : (string[])[],
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal), received.Headers.Select(static pair => pair.Key));
    }

    [Theory]
    [InlineData(65_000)]
    [InlineData(65_528)]
    [InlineData(200_000)]
    public async Task Parameters_may_fill_many_records(int length)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        string value = string.Concat(Enumerable.Range(0, length / 8).Select(static i => $"{i:D7} "));
        request.Options.Set(FastCgiRequestOptions.Parameters, new Dictionary<string, string?> { ["LONG"] = value });
        Assert.Equal(value, (await ReceivedAsync(request))["LONG"]);
    }

    [Theory]
    [InlineData("", "v")]
    [InlineData("A\0", "v")]
    [InlineData("A", "\0")]
    public async Task A_parameter_without_a_name_or_with_a_NUL_is_refused(string name, string value)
    {
        using var application = new ScriptedApplication();
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        request.Options.Set(FastCgiRequestOptions.Parameters, new Dictionary<string, string?> { [name] = value });
        await application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
    }

    [Theory]
    [InlineData("X-A", "a\nb")]
    [InlineData("X-A", "a\r\n b")]
    [InlineData("X-A", "a\0b")]
    [InlineData("Host", "a\0b")]
    [InlineData("Content-Type", "text/plain\r\nX-B: c")]
    public async Task A_header_that_is_more_than_a_line_is_refused(string name, string value)
    {
        using var application = new ScriptedApplication();
        using var request = new HttpRequestMessage(HttpMethod.Post, "http://localhost/") { Content = new ByteArrayContent([]) };
        Assert.True(request.Headers.TryAddWithoutValidation(name, value)
            || request.Content.Headers.TryAddWithoutValidation(name, value));
        var exception = await application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
        Assert.Contains(name, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_SCGI_head_begins_with_its_length()
    {
        using var application = new ScriptedApplication(static options => options.Protocol = FastCgiEndpointProtocol.Scgi);
        using var request = new HttpRequestMessage(HttpMethod.Put, "http://localhost/") { Content = new StringContent("body") };
        var (connection, _) = await application.OpenAsync(request);
        byte[] digits = await connection.ExpectBytesAsync(4);
        Assert.Equal((byte)':', digits[3]);
        byte[] head = await connection.ExpectBytesAsync(int.Parse(digits.AsSpan(0, 3), System.Globalization.CultureInfo.InvariantCulture) + 1);
        Assert.StartsWith("CONTENT_LENGTH\04\0SCGI\01\0", System.Text.Encoding.ASCII.GetString(head), StringComparison.Ordinal);
        Assert.Equal((byte)',', head[^1]);
        Assert.Equal("body"u8.ToArray(), await connection.ExpectBytesAsync(4));
    }

    /// <summary>Web servers tell scripts an empty length of no body, and SCGI needs a number.</summary>
    [Theory]
    [InlineData("", "0")]
    [InlineData(null, "0")]
    [InlineData("7", "7")]
    public async Task An_SCGI_head_always_has_a_length(string? own, string expected)
    {
        using var application = new ScriptedApplication(static options => options.Protocol = FastCgiEndpointProtocol.Scgi);
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        request.Options.Set(FastCgiRequestOptions.Parameters, new Dictionary<string, string?> { ["CONTENT_LENGTH"] = own });
        var (connection, _) = await application.OpenAsync(request);
        string beginning = $"CONTENT_LENGTH\0{expected}\0SCGI\01\0";
        byte[] head = await connection.ExpectBytesAsync("123:".Length + beginning.Length);
        Assert.Equal(beginning, System.Text.Encoding.ASCII.GetString(head.AsSpan("123:".Length)));
    }

    private static async Task<ReceivedRequest> ReceivedAsync(
        HttpRequestMessage request, Action<FastCgiHandlerOptions>? configure = null)
    {
        using var application = new ScriptedApplication(configure, window: 1024 * 1024);
        return await application.ReceiveAsync(request);
    }
}
