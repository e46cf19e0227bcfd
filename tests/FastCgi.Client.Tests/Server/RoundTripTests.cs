namespace FastCgi.Client.Tests.Server;

/// <summary>The client and our own server, over both kinds of sockets and both protocols.</summary>
public sealed class RoundTripTests
{
    public static MatrixTheoryData<ServerTransport, bool> Ends =>
        new([ServerTransport.EpollOnUnix, ServerTransport.EpollOnTcp], [false, true]);

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_get_has_its_target_headers_and_answer(ServerTransport transport, bool isScgi)
    {
        await using var server = await StartAsync(transport, isScgi, static async context =>
        {
            context.Response.StatusCode = 418;
            context.Response.Headers.Append("X-Two", "1");
            context.Response.Headers.Append("X-Two", "2");
            await context.Response.WriteAsync(
                $"{context.Request.Method} {context.Request.Scheme} {context.Request.Host} {context.Request.Path.Value}" +
                $"{context.Request.QueryString} {context.Request.Headers["X-Asked"]} {context.Connection.RemoteIpAddress}");
        });
        using var client = Client(server);
        for (int i = 0; i < 3; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "https://example.org:8443/a%20b/c?d=e%26");
            request.Headers.Add("X-Asked", "yes");
            request.Options.Set(FastCgiRequestOptions.RemoteAddress, IPAddress.Parse("203.0.113.7"));
            using var response = await client.SendAsync(request).Within("a response");

            Assert.Equal(418, (int)response.StatusCode);
            Assert.Equal(["1", "2"], response.Headers.GetValues("X-Two"));
            Assert.Equal(
                "GET https example.org:8443 /a b/c?d=e%26 yes 203.0.113.7",
                await response.Content.ReadAsStringAsync().Within("the body"));
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_body_comes_back(ServerTransport transport, bool isScgi)
    {
        await using var server = await StartAsync(transport, isScgi, static async context =>
        {
            context.Response.ContentType = context.Request.ContentType;
            await context.Request.Body.CopyToAsync(context.Response.Body);
        });
        using var client = Client(server);
        foreach (int size in (int[])[0, 1, 1000, 65_528, 65_529, 3_000_000])
        {
            byte[] body = Bytes(size);
            using var response = await client.PostAsync("/", new ByteArrayContent(body)).Within($"{size} bytes");
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within("the body"));
        }

        byte[] last = Bytes(300_000);
        var unknownLength = new OwnContent((stream, token) =>
        {
            if (isScgi)
            {
                // A process that is killed leaves no file behind.
                Assert.Equal(OperatingSystem.IsWindows(), File.Exists(Assert.IsType<FileStream>(stream).Name));
            }

            return stream.WriteAsync(last, token).AsTask();
        });
        using var lastResponse = await client.PostAsync("/", unknownLength).Within("a body of unknown length");
        Assert.Equal(last, await lastResponse.Content.ReadAsByteArrayAsync().Within("the body"));
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_response_that_the_application_tears_is_an_error(ServerTransport transport, bool isScgi)
    {
        await using var server = await StartAsync(transport, isScgi, static async context =>
        {
            context.Response.ContentLength = 1000;
            await context.Response.WriteAsync("half");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
        using var client = Client(server);
        var exception = await Assert.ThrowsAsync<HttpRequestException>(
            () => client.GetByteArrayAsync("/").Within("a response"));
        Assert.NotNull(FastCgiException.Find(exception));
    }

    private static Task<FunctionalServer> StartAsync(
        ServerTransport transport, bool isScgi, RequestDelegate application) =>
        FunctionalServer.StartAsync(transport, application, options => options.ConfigureEndpointDefaults(
            endpoint => endpoint.Protocol = isScgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi));

    private static HttpClient Client(FunctionalServer server) =>
        new(new FastCgiHandler(server.Address)) { BaseAddress = new Uri("http://localhost/") };

    private static byte[] Bytes(int size) => Encoding.ASCII.GetBytes(
        string.Concat(Enumerable.Range(0, (size / 8) + 1).Select(static i => $"{i:D7} "))[..size]);
}
