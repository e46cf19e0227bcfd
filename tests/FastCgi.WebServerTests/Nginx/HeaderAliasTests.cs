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
        await using var site = await WebServerSite.StartAsync(
            app => NginxServer.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}};
                    underscores_in_headers on;
                    ignore_invalid_headers off;
                    location / {
                        include /etc/nginx/{{protocol}}_params;
                        {{protocol}}_param HTTP_REMOTE_USER {{value}};
                        {{protocol}}_pass unix:{{(protocol == "scgi" ? app.ScgiSocketPath : app.SocketPath)}};
                    }
                }
                """),
            app => app.Run(context => context.Response.WriteAsync($"{context.Request.Headers["Remote-User"]}")));

        var response = await site.SendAsync(
            "GET / HTTP/1.1\r\nHost: h\r\nRemote_User: eve\r\nRemote-User: eve\r\nRemote.User: eve\r\n" +
            "REMOTE_USER: eve\r\n\r\n");
        Assert.Equal((200, expected), (response.Status, response.Text));
    }
}
