namespace FastCgi.FunctionalTests.Identity;

/// <summary>The authorizer role (FastCGI 1.0, section 6.3): no body, and a status in front of everything else.</summary>
public sealed class AuthorizerTests : FunctionalTest
{
    private static readonly RequestScript _ask = Get() with { Role = 2 };

    [Fact]
    public async Task A_permission_carries_its_variables()
    {
        var permission = await RespondAsync(
            Run(context => context.Response.Headers["Variable-MEMBER"] = "ann"),
            _ask);

        Assert.Equal("Status: 200 OK\r\nVariable-MEMBER: ann\r\nContent-Length: 0\r\n\r\n", permission.Head);
        Assert.Equal(0, permission.ProtocolStatus);
    }

    /// <summary>Web servers tell an authorizer of a length, or end a stream that they send it, or do neither.</summary>
    [Fact]
    public async Task A_body_is_empty_at_once_though_its_length_is_told()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            using var body = new StreamReader(context.Request.Body);
            await context.Response.WriteAsync($"read '{await body.ReadToEndAsync()}'");
        });
        var script = _ask with { Method = "POST", ExtraParams = [("CONTENT_LENGTH", "5")] };

        foreach (var withoutStdin in new[] { Begin(script), Begin(script), Begin(_ask), Begin(_ask) })
        {
            await peer.SendAsync(withoutStdin);
            Assert.Equal("read ''", (await peer.ExpectResponseAsync()).BodyText);
        }

        Assert.Equal("read ''", (await peer.RoundTripAsync(script)).BodyText);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_refusal_by_the_server_itself_has_its_status_first()
    {
        var refusal = await RespondAsync(Write("x"), _ask with { ExtraParams = [("REQUEST_METHOD", "\0")] });

        Assert.StartsWith("Status: 400 Bad Request\r\n", refusal.Head, StringComparison.Ordinal);
    }
}
