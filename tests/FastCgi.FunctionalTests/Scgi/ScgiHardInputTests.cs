using System.Text;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.Logging;

namespace FastCgi.FunctionalTests.Scgi;

/// <summary>What no web server sends, and what it brings.</summary>
public sealed class ScgiHardInputTests : ScgiTest
{
    public static MatrixTheoryData<ServerTransport, string> NoNetstrings { get; } = new(
        Transports.All, [":", "a", "-1:", "00:,", "01:a,", "1x:", "1234567890:", "2:a\0x", " 1:a,"]);

    [Theory, MemberData(nameof(NoNetstrings))]
    [HardInput("S2")]
    public async Task What_is_no_netstring_is_closed_without_an_answer(ServerTransport transport, string bytes)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"));

        await peer.SendAsync(Encoding.Latin1.GetBytes(bytes));

        await peer.ExpectEndOfStreamAsync();
        Assert.Contains(Logs.Entries, entry => entry.Message.Contains("Netstring", StringComparison.Ordinal));
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S3")]
    public async Task A_head_beyond_the_limit_is_judged_by_its_length(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(
            transport, Write("never"), options => options.Limits.MaxRequestParametersTotalSize = 10_000);

        await peer.SendAsync("10001:CONTENT_LENGTH"u8.ToArray());

        Assert.Equal(431, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S3")]
    public async Task Too_many_headers_are_refused(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(
            transport, Write("never"), options => options.Limits.MaxRequestHeaderCount = 3);
        var headers = Enumerable.Range(0, 300).Select(i => ($"HTTP_X{i}", ""));

        await peer.SendAsync(ScgiPeer.Netstring(ScgiPeer.Headers([("CONTENT_LENGTH", "0"), ("SCGI", "1"), .. headers])));

        Assert.Equal(431, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S4")]
    public async Task A_head_that_ends_inside_a_header_is_refused(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"));

        await peer.SendAsync(ScgiPeer.Netstring("CONTENT_LENGTH\00\0SCGI"u8.ToArray()));

        Assert.Equal(400, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S5")]
    public async Task A_head_without_a_length_is_refused_with_the_reason(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"));

        await peer.SendAsync(ScgiPeer.Netstring(ScgiPeer.Headers(
            ("SCGI", "1"), ("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/"), ("DOCUMENT_URI", "/"))));

        var response = await peer.ExpectResponseAsync();
        Assert.Equal(400, response.StatusCode);
        Assert.Contains("CONTENT_LENGTH", response.BodyText);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S5")]
    public async Task An_empty_head_is_refused_with_the_reason(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"));

        await peer.SendAsync("0:,"u8.ToArray());

        var response = await peer.ExpectResponseAsync();
        Assert.Equal(500, response.StatusCode);
        Assert.Contains("REQUEST_METHOD", response.BodyText);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S6")]
    public async Task A_head_that_does_not_end_in_time_is_answered(ServerTransport transport)
    {
        var clock = new ManualTimeProvider();
        var peer = await StartAndConnectScgiAsync(transport, Write("never"), clock: clock);
        await peer.SendAsync("100:CONTENT_LENGTH\0"u8.ToArray());

        // The head may still be on its way when the clock first moves.
        var response = peer.ExpectResponseAsync();
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                return response.IsCompleted;
            },
            Deadline.Default));
        Assert.Equal(408, (await response).StatusCode);
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S7")]
    public async Task Bytes_behind_the_body_are_not_a_second_request(ServerTransport transport)
    {
        var served = 0;
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            Interlocked.Increment(ref served);
            using var reader = new StreamReader(context.Request.Body);
            await context.Response.WriteAsync(await reader.ReadToEndAsync());
        });

        await peer.SendAsync((byte[])[.. ScgiPeer.Request(Post("body")), .. ScgiPeer.Request(Get("/second"))]);

        Assert.Equal("body", (await peer.ExpectResponseAsync()).BodyText);
        Assert.Equal(1, served);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S8")]
    public async Task FastCGI_at_the_wrong_endpoint_is_told_by_name(ServerTransport transport)
    {
        await StartScgiAsync(transport, Write("never"));
        var peer = await ConnectAsync();

        await peer.SendRequestAsync(Get());

        await peer.ExpectClosedAsync();
        var warning = Assert.Single(Logs.Entries, entry => entry.EventId.Id == LogEvents.ForeignProtocol);
        Assert.Contains("spoke FastCGI", warning.Message);
        Assert.Contains("scgi_pass", warning.Message);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S8")]
    public async Task HTTP_at_the_wrong_endpoint_is_answered_in_words(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"));

        await peer.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n"u8.ToArray());

        var answer = Encoding.ASCII.GetString(await peer.ExpectAllAsync());
        Assert.StartsWith("HTTP/1.1 400 ", answer);
        Assert.EndsWith("scgi_pass <this address>; }\r\n", answer);
        Assert.Equal(LogLevel.Warning, Assert.Single(Logs.Entries, entry => entry.EventId.Id == LogEvents.ForeignProtocol).Level);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S9")]
    public async Task Beyond_the_limit_of_requests_the_answer_is_503(ServerTransport transport)
    {
        SyncPoint running = "the first request to run";
        SyncPoint end = "the second to be refused";
        await StartScgiAsync(
            transport,
            async context =>
            {
                running.Reach();
                await end.WaitAsync();
                await context.Response.WriteAsync("first");
            },
            options => options.Limits.MaxConcurrentRequests = 1);
        var first = await ConnectScgiAsync();
        await first.SendAsync(Get());
        await running.WaitAsync();

        Assert.Equal(503, (await (await ConnectScgiAsync()).RoundTripAsync(Post("with a body"))).StatusCode);

        end.Reach();
        Assert.Equal("first", (await first.ExpectResponseAsync()).BodyText);
    }

    /// <summary>There is no body to wait for, and the clock stands still.</summary>
    [Theory, ClassData(typeof(Transports))]
    [HardInput("S4")]
    public async Task A_refusal_without_a_body_closes_at_once(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, Write("never"), clock: new ManualTimeProvider());

        var response = await peer.RoundTripAsync(Get() with { Headers = [("X-Broken", "a\nb")] });

        Assert.Equal(400, response.StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_page_of_the_server_closes_at_once(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(
            transport, Write("never"), options => options.Status.PingPath = "/ping", new ManualTimeProvider());

        Assert.Equal(200, (await peer.RoundTripAsync(Get("/ping"))).StatusCode);
    }
}
