using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Authentication;
using FastCgi.Protocol;

namespace FastCgi.WebServerTests.Identity;

public sealed class LighttpdUserTests : UserTests
{
    [Fact]
    public async Task Whom_an_authorizer_has_let_in_is_signed_in_by_its_variable()
    {
        var page = Path.Combine(Repository.Root, "docs", "users.md");
        await using var site = await Site.StartAsync(
            app => LighttpdServer.StartAsync(Assert.Single(MarkdownBlocks.Read(page, "lighttpd", "Authorizers")).WithSocket(app)),
            static app =>
            {
                app.MapWhen(
                    static context => context.Features.Get<IFastCgiRequestFeature>()!.Role == FastCgiRole.Authorizer,
                    static door => door.Run(LetIn));
                app.UseAuthentication();
                app.Run(static context => context.Response.WriteAsync(context.User.Identity!.Name ?? "nobody"));
            },
            static builder => builder.Services.AddAuthentication(FastCgiUserDefaults.AuthenticationScheme)
                .AddFastCgiUser(static options =>
                {
                    options.UserParameter = "MEMBER";
                    options.RequireAuthType = false;
                }));

        Assert.Equal("ann", (await site.SendAsync("GET /?ann HTTP/1.1\r\nHost: h\r\nMember: evil\r\n\r\n")).Text);
        Assert.Equal("nobody", (await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\nMember: evil\r\n\r\n")).Text);
    }

    private protected override bool RefusesAliases => true;

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        LighttpdServer.StartAsync(
            IdentityPage.Users("lighttpd").WithSocket(app).With("/etc/lighttpd/members", passwords));

    /// <summary>Everybody, by the name in the query where there is one.</summary>
    private static Task LetIn(HttpContext context)
    {
        if (context.Request.QueryString.HasValue)
        {
            context.Response.Headers["Variable-MEMBER"] = context.Request.QueryString.Value![1..];
        }

        return Task.CompletedTask;
    }
}
