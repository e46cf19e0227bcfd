namespace FastCgi.WebServerTests.Identity;

public sealed class ApacheUserTests : UserTests
{
    private static readonly string[] _modules =
        ["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "proxy", "proxy_fcgi"];

    [Theory]
    [InlineData("", "")]
    [InlineData("CGIPassAuth On", "Basic YW5uOnNlY3JldA==")]
    public async Task The_password_stays_with_Apache_unless_it_is_told_to_pass_it_on(string line, string expected)
    {
        await using var site = await PasswordSite.StartAsync(
            UserParameter, (app, passwords) => StartAsync(app, passwords, $"<Location \"/\">\n{line}\n</Location>"));

        Assert.Equal((200, expected), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
    }

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        StartAsync(app, passwords, "");

    private static Task<WebServer> StartAsync(ServedApp app, string passwords, string more) => ApacheServer.StartAsync(
        _modules,
        $"{IdentityPage.Users("apache").WithSocket(app).With("/etc/apache2/members", passwords)}\n{more}");
}
