namespace FastCgi.FunctionalTests.Requests;

/// <summary>Rows P of the hard inputs.</summary>
public sealed class ParamTests : FunctionalTest
{
    private static readonly RequestDelegate s_describe = async context =>
    {
        var request = context.Request;
        using var body = new StreamReader(request.Body);
        await context.Response.WriteAsync(string.Join(
            "|",
            request.Method,
            request.Path.Value,
            request.Host.Value,
            request.Protocol,
            request.Scheme,
            request.ContentLength,
            await body.ReadToEndAsync()));
    };

    [Fact]
    [HardInput("P1")]
    public async Task Pairs_may_be_cut_anywhere()
    {
        var peer = await StartAndConnectAsync(
            context => context.Response.WriteAsync($"{context.Request.Headers["X-Long"].ToString().Length}"));
        var request = Get() with { Headers = [("X-Long", new string('x', 300))] };

        foreach (var size in (int[])[1, 2, 3, 7, 8, 9, 100])
        {
            var records = new RecordBuilder().Begin().Params(1, request.ToParams(), size).EndParams().EndStdin();
            Assert.Equal("300", (await peer.RoundTripAsync(records)).BodyText);
        }
    }

    [Fact]
    [HardInput("P2")]
    public async Task Long_lengths_of_short_values_are_read()
    {
        var peer = await StartAndConnectAsync(s_describe);
        var pairs = Get("/long").ToParams().SelectMany(pair => RecordBuilder.Pair(
            Encoding.UTF8.GetBytes(pair.Name), Encoding.UTF8.GetBytes(pair.Value), longLengths: true)).ToArray();

        Assert.Equal(
            "GET|/long|example.test|HTTP/1.1|http||", (await peer.RoundTripAsync(FromParams(pairs))).BodyText);
    }

    [Fact]
    [HardInput("P4")]
    public async Task A_pair_cut_short_at_the_end_is_400()
    {
        var peer = await StartAndConnectAsync(s_describe);
        var pair = RecordBuilder.Pair("REQUEST_METHOD", "GET");
        for (var length = 1; length < pair.Length; length++)
        {
            Assert.Equal(400, (await peer.RoundTripAsync(FromParams(pair.AsSpan(0, length)))).StatusCode);
        }

        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("P5")]
    public Task An_empty_name_is_ignored_and_an_empty_value_kept() => AssertRespondsAsync(
        (200, null, "[]"),
        context => context.Response.WriteAsync($"[{context.GetServerVariable("EMPTY_ONE")}]"),
        Get() with { ExtraParams = [("", "nameless"), ("EMPTY_ONE", ""), ("", "")] });

    [Fact]
    [HardInput("P3", "P6")]
    public async Task More_params_than_allowed_are_431_and_the_connection_closes()
    {
        await StartAsync(s_describe);
        foreach (var content in (byte[][])[
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x01, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            RecordBuilder.Pairs([.. Get().ToParams(), .. Enumerable.Range(0, 1000).Select(i => ($"P{i}", "x"))]),
            RecordBuilder.Pairs([.. Get().ToParams(), ("LARGE", new string('x', 200_000))])])
        {
            var peer = await ConnectAsync();
            Assert.Equal(431, (await peer.RoundTripAsync(FromParams(content))).StatusCode);
            await peer.ExpectEndOfStreamAsync();
        }

        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("P7")]
    public async Task Params_that_do_not_end_in_time_are_408()
    {
        var peer = await StartAndConnectAsync(s_describe, clock: Clock);
        await peer.SendAsync(new RecordBuilder().Begin());
        Assert.Empty(await peer.SynchronizeAsync());
        var request = new RecordBuilder().Params(1, Get().ToParams()).ToArray();

        for (var second = 0; second < 33; second++)
        {
            await peer.SendAsync(request.AsMemory(second, 1));
            Clock.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
    }

    [Fact]
    [HardInput("P9")]
    public async Task The_last_of_a_name_wins_and_two_lengths_are_400()
    {
        var peer = await StartAndConnectAsync(s_describe);

        var last = await peer.RoundTripAsync(Post("x") with
        {
            ExtraParams = [("REQUEST_METHOD", "PUT"), ("HTTP_HOST", "last.test"), ("CONTENT_LENGTH", "1")],
        });
        Assert.Equal("PUT|/|last.test|HTTP/1.1|http|1|x", last.BodyText);
        Assert.Equal(
            400, (await peer.RoundTripAsync(Post("x") with { ExtraParams = [("CONTENT_LENGTH", "2")] })).StatusCode);
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("P10")]
    public async Task NUL_and_line_breaks_in_a_header_are_400()
    {
        var peer = await StartAndConnectAsync(s_describe);

        foreach (var value in (string[])["a\0b", "a\rb", "a\nb", "a\r\nSet-Cookie: x=1"])
        {
            Assert.Equal(400, (await peer.RoundTripAsync(Get() with { Headers = [("X-Bad", value)] })).StatusCode);
        }

        Assert.DoesNotContain(Logs.Entries, entry => entry.Message.Contains('\n') || entry.Message.Contains('\0'));
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("P10")]
    public async Task Bytes_that_are_no_UTF_8_in_a_header_are_400()
    {
        var peer = await StartAndConnectAsync(
            context => context.Response.WriteAsync($"{context.Request.Headers["X-Text"]}"));
        var pairs = RecordBuilder.Pairs(Get().ToParams());
        var name = "HTTP_X_TEXT"u8.ToArray();

        foreach (var value in (byte[][])[[0xE9], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
        {
            Assert.Equal(400, (await SendAsync(value)).StatusCode);
        }

        Assert.Equal("é€😀", (await SendAsync("é€😀"u8.ToArray())).BodyText);

        Task<CgiResponse> SendAsync(byte[] value) =>
            peer.RoundTripAsync(FromParams([.. pairs, .. RecordBuilder.Pair(name, value)]));
    }

    [Fact]
    [HardInput("P11")]
    public Task HTTP_PROXY_becomes_nothing() => AssertRespondsAsync(
        (200, null, "[][]"),
        context => context.Response.WriteAsync(
            $"[{context.Request.Headers["Proxy"]}][{Environment.GetEnvironmentVariable("HTTP_PROXY")}]"),
        Get() with { Headers = [("Proxy", "evil.test")] });

    [Fact]
    [HardInput("P12")]
    public Task Only_CONTENT_LENGTH_frames_the_body() => AssertRespondsAsync(
        (200, null, "POST|/|example.test|HTTP/1.1|http|15|5\r\nhello\r\n0\r\n\r\n"),
        s_describe,
        Post("5\r\nhello\r\n0\r\n\r\n") with { Headers = [("Content-Length", "3"), ("Transfer-Encoding", "chunked")] });

    [Fact]
    [HardInput("P13")]
    public Task Params_of_PHP_are_inert() => AssertRespondsAsync(
        (200, null, "GET|/|example.test|HTTP/1.1|http||"),
        s_describe,
        Get() with
        {
            ExtraParams = [("PHP_VALUE", "auto_prepend_file=/etc/passwd"), ("PHP_ADMIN_VALUE", "x"), ("SCRIPT_FILENAME", "/etc/passwd")],
        });

    [Fact]
    [HardInput("P14")]
    public async Task Without_a_method_the_answer_says_what_to_configure()
    {
        var response = await RespondAsync(s_describe, Get() with { ExtraParams = [("REQUEST_METHOD", "")] });

        Assert.Equal(500, response.StatusCode);
        Assert.Contains("REQUEST_METHOD", response.BodyText, StringComparison.Ordinal);
        Assert.Contains("fastcgi_params", response.BodyText, StringComparison.Ordinal);
    }

    [Fact]
    [HardInput("P16")]
    public async Task Odd_addresses_and_schemes_are_no_exception()
    {
        var peer = await StartAndConnectAsync(
            context => context.Response.WriteAsync(
                $"{context.Request.Scheme}|{context.Connection.RemoteIpAddress}|{context.Connection.RemotePort}"));

        foreach (var (https, address, port, expected) in ((string, string, string, string)[])[
            ("on", "192.0.2.1", "80", "https|192.0.2.1|80"),
            ("off", "unix:", "", "http||0"),
            ("", "[2001:db8::7]:4711", "4711", "http|2001:db8::7|4711"),
            ("", "text", "text", "http||0"),
            ("", "other text", "text", "http||0"),
            ("", "", "99999", "http||0")])
        {
            var response = await peer.RoundTripAsync(
                Get() with { ExtraParams = [("HTTPS", https), ("REMOTE_ADDR", address), ("REMOTE_PORT", port)] });
            Assert.Equal(expected, response.BodyText);
        }

        var entry = Assert.Single(Logs.Entries, static entry => entry.EventId.Id == RemoteAddressUnreadable);
        Assert.Contains("REMOTE_ADDR = 'text'", entry.Message, StringComparison.Ordinal);
    }
}
