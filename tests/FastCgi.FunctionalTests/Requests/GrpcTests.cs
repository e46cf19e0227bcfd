using FastCgi.Protocol;

namespace FastCgi.FunctionalTests.Requests;

/// <summary>gRPC needs response trailers, which the protocol does not have; gRPC-Web does not need them.</summary>
public sealed class GrpcTests : FunctionalTest
{
    // A message of gRPC: not compressed, three bytes.
    private static readonly byte[] s_message = [0, 0, 0, 0, 3, 1, 2, 3];

    private int _calls;

    [Fact]
    public async Task A_native_call_is_unimplemented_and_never_reaches_the_application()
    {
        var peer = await StartAndConnectAsync(CountAndEchoAsync);
        foreach (var type in (string[])["application/grpc", "application/grpc+proto"])
        {
            var response = await peer.RoundTripAsync(Call(type));

            Assert.Equal(
                (404, "12", "application/grpc", "0"),
                (response.StatusCode, response.Header("grpc-status"), response.Header("Content-Type"),
                    response.Header("Content-Length")));
            Assert.Contains("gRPC-Web", response.Header("grpc-message"), StringComparison.Ordinal);
        }

        Assert.Equal(0, _calls);
        var entry = Assert.Single(Logs.Entries, entry => entry.EventId.Id == NativeGrpcRefused);
        Assert.Equal(LogLevel.Information, entry.Level);
        Assert.Contains("gRPC-Web", entry.Message, StringComparison.Ordinal);
        Assert.Contains("/greet.Greeter/SayHello", entry.Message, StringComparison.Ordinal);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_call_by_gRPC_Web_reaches_the_application()
    {
        var peer = await StartAndConnectAsync(CountAndEchoAsync);

        var response = await peer.RoundTripAsync(Call("application/grpc-web+proto"));

        Assert.Equal((200, 1), (response.StatusCode, _calls));
        Assert.Equal(s_message, response.Body);
    }

    /// <summary>A refusal would decide in the place of the application, which is asked whether a call may pass.</summary>
    [Fact]
    public async Task A_question_for_a_permission_is_no_call()
    {
        var peer = await StartAndConnectAsync(CountAndEchoAsync);

        Assert.Equal(200, (await peer.RoundTripAsync(
            Call("application/grpc") with { Role = (int)FastCgiRole.Authorizer, Body = [] })).StatusCode);
        Assert.Equal(200, (await peer.RoundTripAsync(Call("application/grpc") with
        {
            ExtraParams = [("SERVER_SOFTWARE", "nginx/1.22.1"), ("DOCUMENT_URI", "/authz")],
        })).StatusCode);
        Assert.Equal(2, _calls);
    }

    [Fact]
    public Task Request_trailers_are_known_to_be_none() =>
        AssertRespondsAsync((200, null, "True True 0 [] False"), context =>
        {
            var trailers = context.Features.GetRequiredFeature<IHttpRequestTrailersFeature>();
            Assert.Throws<InvalidOperationException>(() => trailers.Trailers["x"] = "1");
            return context.Response.WriteAsync(
                $"{context.Request.SupportsTrailers()} {trailers.Available} {trailers.Trailers.Count} " +
                $"[{context.Request.GetTrailer("x")}] {context.Response.SupportsTrailers()}");
        });

    private static RequestScript Call(string type) =>
        Post(s_message, "/greet.Greeter/SayHello") with { Headers = [("Content-Type", type)] };

    private async Task CountAndEchoAsync(HttpContext context)
    {
        if (context.Request.Method == "POST")
        {
            Interlocked.Increment(ref _calls);
            await EchoAsync(context);
        }
    }
}
