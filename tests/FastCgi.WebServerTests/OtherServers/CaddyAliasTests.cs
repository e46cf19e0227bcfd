namespace FastCgi.WebServerTests.OtherServers;

/// <summary>
/// Caddy merges the headers Remote_User, Remote User and Remote-User into one param, and takes one of the values at
/// random. docs/users.md says how to keep out the value of the client.
/// </summary>
public sealed class CaddyAliasTests
{
    private const int Requests = 50;

    /// <summary>Caddy 2.6 takes a name with a space by HTTP/3 alone, so the Caddyfile adds that header here.</summary>
    [Theory]
    [InlineData("Remote_User")]
    [InlineData("remote user")]
    public async Task A_header_of_the_Caddyfile_stays_if_its_aliases_are_deleted(string alias)
    {
        await using var site = await Site.StartAsync(
            app => WebServerProgram.StartCaddyAsync($$"""
                request_header "{{alias}}" eve
                request_header -*_*
                request_header "-* *"
                request_header Remote-User ann
                reverse_proxy unix/{{app.SocketPath}} {
                    transport fastcgi
                }
                """),
            app => app.Run(context => context.Response.WriteAsync($"{context.Request.Headers["Remote-User"]}")));
        for (var i = 0; i < Requests; i++)
        {
            Assert.Equal("ann", (await site.AskAsync("/")).Text);
        }
    }

    [Fact]
    public async Task The_sample_deletes_names_that_become_those_of_other_headers()
    {
        await using var site = await Site.StartAsync(
            app => WebServerProgram.Caddy.StartAsync(endPoint => SampleFile.Read("Caddyfile")
                .Replace(
                    ":80 {",
                    $"http://:{endPoint.Port} {{\nbind {endPoint.Address}\nrequest_header \"remote user\" eve")
                .Replace("unix//run/app/app.sock", $"unix/{app.SocketPath}").ToString()),
            app => app.Run(context => context.Response.WriteAsync($"user {context.Request.Headers["Remote-User"]}")));

        Assert.Equal("user ", (await site.AskAsync("/", "Remote_User: eve")).Text);
    }
}
