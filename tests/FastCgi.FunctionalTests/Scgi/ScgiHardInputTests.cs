namespace FastCgi.FunctionalTests.Scgi;

/// <summary>What no web server sends, and what it brings.</summary>
public sealed class ScgiHardInputTests : ScgiTest
{
    private static readonly Dictionary<string, (byte[] Head, int Status, string Reason)> s_refused = new()
    {
        ["longer than allowed, by its length"] = ("10001:CONTENT_LENGTH"u8.ToArray(), 431, ""),
        ["too many headers"] = (
            Head([("CONTENT_LENGTH", "0"), ("SCGI", "1"), .. Enumerable.Range(0, 300).Select(i => ($"HTTP_X{i}", ""))]),
            431,
            ""),
        ["an end inside a header"] = (ScgiPeer.Netstring("CONTENT_LENGTH\00\0SCGI"u8.ToArray()), 400, ""),
        ["no length"] = (
            Head([("SCGI", "1"), ("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/"), ("DOCUMENT_URI", "/")]),
            400,
            "CONTENT_LENGTH"),
        ["empty"] = ("0:,"u8.ToArray(), 500, "REQUEST_METHOD"),
    };

    public static TheoryData<string> Refused { get; } = [.. s_refused.Keys];

    [Theory]
    [InlineData(":")]
    [InlineData("a")]
    [InlineData("-1:")]
    [InlineData("00:,")]
    [InlineData("01:a,")]
    [InlineData("1x:")]
    [InlineData("1234567890:")]
    [InlineData("2:a\0x")]
    [InlineData(" 1:a,")]
    [HardInput("S2")]
    public async Task What_is_no_netstring_is_closed_without_an_answer(string bytes)
    {
        var peer = await StartAndConnectScgiAsync(Write("never"));

        await peer.SendAsync(Encoding.Latin1.GetBytes(bytes));

        await peer.ExpectEndOfStreamAsync();
        Assert.Contains(Logs.Entries, entry => entry.Message.Contains("Netstring", StringComparison.Ordinal));
        await AssertServesAnotherAsync();
    }

    [Theory, MemberData(nameof(Refused))]
    [HardInput("S3", "S4", "S5")]
    public async Task A_wrong_head_is_refused_with_the_reason(string head)
    {
        var (bytes, status, reason) = s_refused[head];
        var peer = await StartAndConnectScgiAsync(Write("never"), options =>
        {
            options.Limits.MaxRequestParametersTotalSize = 10_000;
            options.Limits.MaxRequestHeaderCount = 100;
        });

        await peer.SendAsync(bytes);

        var response = await peer.ExpectResponseAsync();
        Assert.Equal(status, response.StatusCode);
        Assert.Contains(reason, response.BodyText);
        await AssertServesAnotherAsync();
    }

    [Fact]
    [HardInput("S6")]
    public async Task A_head_that_does_not_end_in_time_is_answered()
    {
        var peer = await StartAndConnectScgiAsync(Write("never"), clock: Clock);
        await peer.SendAsync("100:CONTENT_LENGTH\0"u8.ToArray());

        // The head may still be on its way when the clock first moves.
        var response = peer.ExpectResponseAsync();
        await Clock.PassUntilAsync(response).Within("the answer");
        Assert.Equal(408, (await response).StatusCode);
        await AssertServesAnotherAsync();
    }

    [Fact]
    [HardInput("S7")]
    public async Task Bytes_behind_the_body_are_not_a_second_request()
    {
        var served = 0;
        var peer = await StartAndConnectScgiAsync(async context =>
        {
            Interlocked.Increment(ref served);
            using var reader = new StreamReader(context.Request.Body);
            await context.Response.WriteAsync(await reader.ReadToEndAsync());
        });

        await peer.SendAsync((byte[])[.. ScgiPeer.Request(Post("body")), .. ScgiPeer.Request(Get("/second"))]);

        Assert.Equal("body", (await peer.ExpectResponseAsync()).BodyText);
        Assert.Equal(1, served);
    }

    [Fact]
    [HardInput("S8")]
    public async Task FastCGI_at_the_wrong_endpoint_is_told_by_name()
    {
        await StartScgiAsync(Write("never"));
        var peer = await ConnectAsync();

        await peer.SendRequestAsync(Get());

        await peer.ExpectClosedAsync();
        var warning = Assert.Single(Logs.Entries, entry => entry.EventId.Id == ForeignProtocol);
        Assert.Contains("spoke FastCGI", warning.Message);
        Assert.Contains("scgi_pass", warning.Message);
    }

    [Fact]
    [HardInput("S8")]
    public async Task HTTP_at_the_wrong_endpoint_is_answered_in_words()
    {
        var peer = await StartAndConnectScgiAsync(Write("never"));

        await peer.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n"u8.ToArray());

        var answer = Encoding.ASCII.GetString(await peer.ExpectAllAsync());
        Assert.StartsWith("HTTP/1.1 400 ", answer);
        Assert.EndsWith("scgi_pass <this address>; }\r\n", answer);
        Assert.Equal(LogLevel.Warning, Assert.Single(Logs.Entries, entry => entry.EventId.Id == ForeignProtocol).Level);
    }

    [Fact]
    [HardInput("S9")]
    public async Task Beyond_the_limit_of_requests_the_answer_is_503()
    {
        await StartScgiAsync(
            async context =>
            {
                await WaitAsync(context);
                await context.Response.WriteAsync("first");
            },
            options => options.Limits.MaxConcurrentRequests = 1);
        var first = await ConnectScgiAsync();
        await first.SendAsync(Get());
        await Entered.WaitAsync();

        Assert.Equal(503, (await (await ConnectScgiAsync()).RoundTripAsync(Post("with a body"))).StatusCode);

        GoOn.Reach();
        Assert.Equal("first", (await first.ExpectResponseAsync()).BodyText);
    }

    /// <summary>There is no body to wait for, and the clock stands still.</summary>
    [Fact]
    [HardInput("S4")]
    public async Task A_refusal_without_a_body_closes_at_once()
    {
        var peer = await StartAndConnectScgiAsync(Write("never"), clock: Clock);

        var response = await peer.RoundTripAsync(Get() with { Headers = [("X-Broken", "a\nb")] });

        Assert.Equal(400, response.StatusCode);
    }

    [Fact]
    public async Task A_page_of_the_server_closes_at_once()
    {
        var peer = await StartAndConnectScgiAsync(
            Write("never"), options => options.Status.PingPath = "/ping", Clock);

        Assert.Equal(200, (await peer.RoundTripAsync(Get("/ping"))).StatusCode);
    }

    private static byte[] Head(IEnumerable<(string Name, string Value)> headers) =>
        ScgiPeer.Netstring(ScgiPeer.Headers(headers));
}
