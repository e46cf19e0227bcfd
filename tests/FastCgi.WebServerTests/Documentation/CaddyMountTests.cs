namespace FastCgi.WebServerTests.Documentation;

/// <summary>The Caddyfile of docs/web-servers.md: Caddy takes the prefix off, and the application still knows its base.</summary>
public sealed class CaddyMountTests
{
    [Fact]
    public async Task The_application_has_its_base_though_Caddy_removes_it()
    {
        var block = Assert.Single(MarkdownBlocks.Read(
            Path.Combine(Repository.Root, "docs", "web-servers.md"), "caddyfile", "Under a path of its own"));
        await using var site = await Site.StartAsync(
            app => WebServerProgram.StartCaddyAsync(block.With("/run/app/app.sock", app.SocketPath)),
            static app => app.Run(static context => context.Response.WriteAsync(
                $"{context.Request.PathBase} + {context.Request.Path}")));

        Assert.Equal("/app + /orders/7", await site.Client.GetStringAsync("/app/orders/7").Within("the page"));
    }
}
