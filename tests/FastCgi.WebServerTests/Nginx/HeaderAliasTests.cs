namespace FastCgi.WebServerTests.Nginx;

/// <summary>A param that nginx sets by the name of a header takes the place of every header that could have it.</summary>
public sealed class HeaderAliasTests
{
    [Theory]
    [InlineData("fastcgi", "ann", "ann")]
    [InlineData("fastcgi", "\"\"", "")]
    [InlineData("fastcgi", "\"\" if_not_empty", "")]
    [InlineData("scgi", "ann", "ann")]
    public async Task A_trusted_header_cannot_be_joined_by_an_alias(string protocol, string value, string expected)
    {
        await using var site = await StartAsync(
            protocol,
            $"{protocol}_param HTTP_REMOTE_USER {value};",
            context => context.Response.WriteAsync($"{context.Request.Headers["Remote-User"]}"));

        var response = await site.SendAsync(
            "GET / HTTP/1.1\r\nHost: h\r\nRemote_User: eve\r\nRemote-User: eve\r\nRemote.User: eve\r\n" +
            "REMOTE_USER: eve\r\n\r\n");
        Assert.Equal((200, expected), (response.Status, response.Text));
    }

    /// <summary>The aliases of the headers that say how long a body is make none up.</summary>
    [Theory]
    [InlineData("fastcgi", "Content_Length: 5")]
    [InlineData("fastcgi", "Transfer_Encoding: chunked")]
    [InlineData("scgi", "Content_Length: 5")]
    [InlineData("scgi", "Transfer_Encoding: chunked")]
    public async Task A_request_without_a_body_stays_one(string protocol, string header)
    {
        await using var site = await StartAsync(protocol, param: "", async context =>
        {
            var request = context.Request;
            var canHaveBody = context.Features.GetRequiredFeature<IHttpRequestBodyDetectionFeature>().CanHaveBody;
            var read = await request.Body.ReadAsync(new byte[10]);
            await context.Response.WriteAsync(
                $"{request.ContentLength} [{request.Headers.TransferEncoding}] {canHaveBody} {read}");
        });

        var response = await site.AskAsync("/", header);
        Assert.Equal((200, " [] False 0"), (response.Status, response.Text));
    }

    private static Task<Site> StartAsync(string protocol, string param, RequestDelegate application) => Site.StartAsync(
        app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                underscores_in_headers on;
                ignore_invalid_headers off;
                location / {
                    include /etc/nginx/{{protocol}}_params;
                    {{param}}
                    {{protocol}}_pass unix:{{(protocol == "scgi" ? app.ScgiSocketPath : app.SocketPath)}};
                }
            }
            """),
        app => app.Run(application));
}
