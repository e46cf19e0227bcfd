namespace FastCgi.WebServerTests.OtherServers;

/// <summary>
/// Caddy merges the headers Remote_User and Remote-User into one param, and takes one of the values at random.
/// docs/users.md says how to keep out the value of the client.
/// </summary>
public sealed class CaddyAliasTests
{
    private const int Requests = 50;

    [Fact]
    public async Task A_header_of_the_Caddyfile_stays_if_the_alias_is_deleted()
    {
        await using var site = await Site.StartAsync(
            app => WebServerProgram.StartCaddyAsync($$"""
                request_header -Remote_User
                request_header Remote-User ann
                reverse_proxy unix/{{app.SocketPath}} {
                    transport fastcgi
                }
                """),
            app => app.Run(context => context.Response.WriteAsync($"{context.Request.Headers["Remote-User"]}")));
        for (var i = 0; i < Requests; i++)
        {
            Assert.Equal("ann", (await site.AskAsync("/", "Remote_User: eve")).Text);
        }
    }
}
