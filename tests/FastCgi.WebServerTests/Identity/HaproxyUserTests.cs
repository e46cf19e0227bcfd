using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.WebServerTests.Identity;

/// <summary>HAProxy has no file of passwords, and a REMOTE_USER that is the client's.</summary>
public sealed class HaproxyUserTests : UserTests
{
    private const string DocumentedUser = "user ann password ";

    private protected override string UserParameter => "AUTHENTICATED_USER";

    [Fact]
    public async Task What_it_sends_by_itself_signs_nobody_in_and_a_warning_says_why()
    {
        await using var site = await PasswordSite.StartAsync("REMOTE_USER", static (app, _) => HaproxyServer.StartAsync($"""
            fcgi-app app
                docroot /srv/app
            backend app
                use-fcgi-app app
                server s1 unix@{app.SocketPath} proto fcgi
            """));

        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));

        var warning = Assert.Single(
            site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
        Assert.Contains("set-param AUTHENTICATED_USER", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_documented_REMOTE_USER_is_nobody()
    {
        await using var site = await PasswordSite.StartAsync("REMOTE_USER", StartAsync);

        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
        Assert.DoesNotContain(site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
    }

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords)
    {
        var site = IdentityPage.Users("haproxy").WithSocket(app);
        var ann = site.Split('\n').Select(static line => line.Trim())
            .Single(static line => line.StartsWith(DocumentedUser, StringComparison.Ordinal));
        var others = ((string[])["bob", "zo\u00EB"]).Select(
            name => $"\n    {ann.With(DocumentedUser, $"user {name} password ")}");
        return HaproxyServer.StartAsync(site.With(ann, ann + string.Concat(others)));
    }
}
