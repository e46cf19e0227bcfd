using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>The forwarder relies on no habit of the client's handler: another one may answer in its place.</summary>
public sealed class OtherHandlerTests
{
    /// <summary>The response has not left, and nothing of it may be in the answer.</summary>
    [Fact]
    public async Task A_body_that_fails_at_once_is_a_502_without_the_head_of_the_response()
    {
        await using var front = await StartAsync(() => new HttpResponseMessage
        {
            Content = new StreamContent(new BreakingStream([])),
            Headers = { { "X-Of-The-Response", "1" } },
        });
        front.Logs.ExpectError(GatewayEvents.BadGateway);
        using var answer = await front.Client.GetAsync("/").Within("an answer");
        Assert.Equal(HttpStatusCode.BadGateway, answer.StatusCode);
        Assert.False(answer.Headers.Contains("X-Of-The-Response"));
    }

    /// <summary>What was written cannot be taken back, even if none of it has left.</summary>
    [Fact]
    public async Task A_body_that_fails_behind_its_first_piece_breaks_off()
    {
        await using var front = await StartAsync(static () => new HttpResponseMessage
        {
            Content = new StreamContent(new BreakingStream("piece"u8.ToArray())),
        });
        front.Logs.ExpectError(GatewayEvents.ResponseTorn);
        await Assert.ThrowsAsync<HttpRequestException>(() => front.Client.GetAsync("/").Within("an error"));
        await front.Logs.WaitForAsync(GatewayEvents.ResponseTorn);
    }

    /// <summary>Passed on, it would leave the client waiting for the final response.</summary>
    [Fact]
    public async Task An_informational_status_is_a_502()
    {
        await using var front = await StartAsync(static () => new HttpResponseMessage(HttpStatusCode.EarlyHints));
        front.Logs.ExpectError(GatewayEvents.BadGateway);
        using var answer = await front.Client.GetAsync("/").Within("an answer");
        Assert.Equal(HttpStatusCode.BadGateway, answer.StatusCode);
    }

    [Theory]
    [InlineData("HEAD")]
    [InlineData("head")]
    public async Task A_body_behind_the_response_to_a_head_is_dropped(string method)
    {
        await using var front = await StartAsync(static () => new HttpResponseMessage
        {
            Content = new StringContent("needless"),
        });
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync($"{method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        string answer = await client.ReadToAsync(end: null);
        Assert.StartsWith("HTTP/1.1 200 OK", answer, StringComparison.Ordinal);
        Assert.DoesNotContain("needless", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Trailers_come_behind_the_body()
    {
        await using var front = await StartAsync(
            static () => new HttpResponseMessage
            {
                Content = new StringContent("body"),
                TrailingHeaders = { { "X-Sum", "4" } },
            },
            HttpProtocols.Http2);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/")
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        using var answer = await front.Client.SendAsync(request).Within("an answer");
        Assert.Equal("body", await answer.Content.ReadAsStringAsync());
        Assert.Equal("4", Assert.Single(answer.TrailingHeaders.GetValues("X-Sum")));
    }

    private static Task<GatewayFront> StartAsync(
        Func<HttpResponseMessage> answer, HttpProtocols protocols = HttpProtocols.Http1) =>
        GatewayFront.ForwardAsync(new HttpMessageInvoker(new OtherHandler(answer)), protocols: protocols);

    private sealed class OtherHandler(Func<HttpResponseMessage> answer) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken) => Task.FromResult(answer());
    }

    /// <summary>Gives the bytes at once, and fails at once behind them.</summary>
    private sealed class BreakingStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Position < Length
                ? base.ReadAsync(buffer, cancellationToken)
                : ValueTask.FromException<int>(new IOException("broken"));
    }
}
