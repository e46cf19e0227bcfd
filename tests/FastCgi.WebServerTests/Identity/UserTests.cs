using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.WebServerTests.Identity;

/// <summary>Users whom a web server has verified, with the configuration of the documentation, and who pretend to be.</summary>
public abstract class UserTests
{
    [Fact]
    public async Task Whom_the_web_server_has_verified_is_signed_in()
    {
        await using var site = await StartAsync();

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, "zo\u00EB by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("zo\u00EB")));
        Assert.DoesNotContain(site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
    }

    [Fact]
    public async Task The_application_gives_roles_and_asks_for_them()
    {
        await using var site = await StartAsync();

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/books", MembersApp.Credentials("ann")));
        Assert.Equal(403, (await AskAsync(site, "/members/books", MembersApp.Credentials("bob"))).Status);
    }

    [Fact]
    public async Task The_web_server_asks_for_the_password_and_refuses_a_wrong_one()
    {
        await using var site = await StartAsync();

        foreach (var credentials in (string[])["", MembersApp.Credentials("ann", "guess"), MembersApp.Credentials("evil")])
        {
            var response = await site.SendAsync($"GET /members/me HTTP/1.1\r\nHost: h\r\n{credentials}\r\n");
            Assert.Equal(401, response.Status);
            Assert.Equal("Basic realm=\"members\"", response.Header("WWW-Authenticate")?.Split(',')[0]);
        }
    }

    [Fact]
    public async Task Where_nobody_verifies_nobody_is_signed_in_whatever_the_client_sends()
    {
        await using var site = await StartAsync();

        foreach (var headers in (string[])
        [
            MembersApp.Credentials("evil", "x"),
            "REMOTE_USER: evil\r\nAUTH_TYPE: Basic\r\n",
            "Remote-User: evil\r\nAuth-Type: Basic\r\nAuthenticated-User: evil\r\nAUTHENTICATED_USER: evil\r\n",
            "REDIRECT_REMOTE_USER: evil\r\nHTTP_REMOTE_USER: evil\r\nHTTP-REMOTE-USER: evil\r\n",
        ])
        {
            var (status, text) = await AskAsync(site, "/open", headers);
            if (status == 400 && RefusesAliases)
            {
                // Two of the names are one param there: the server refuses what it cannot tell apart.
                continue;
            }

            Assert.Equal((200, "nobody"), (status, text));
            var response = await site.SendAsync($"GET /staff HTTP/1.1\r\nHost: h\r\n{headers}\r\n");
            Assert.Equal((401, null), (response.Status, response.Header("WWW-Authenticate")));
        }

        Assert.DoesNotContain(site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
    }

    [Fact]
    public async Task A_user_is_that_of_one_request_and_not_of_the_next_on_the_connection()
    {
        await using var site = await StartAsync();
        await using var client = await site.ConnectAsync();

        await client.SendAsync($"GET /members/me HTTP/1.1\r\nHost: h\r\n{MembersApp.Credentials("ann")}\r\n");
        Assert.Equal("ann by Basic", (await client.ReadResponseAsync()).Text);
        await client.SendAsync("GET /open HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal("nobody", (await client.ReadResponseAsync()).Text);
    }

    /// <summary>The web server sends headers that differ in punctuation alone as several params of one name.</summary>
    private protected virtual bool RefusesAliases => false;

    /// <summary>The param that the administrator of this web server vouches for.</summary>
    private protected virtual string UserParameter => "REMOTE_USER";

    /// <summary>The web server of the documentation.</summary>
    /// <param name="app">The application behind it.</param>
    /// <param name="passwords">The file of passwords.</param>
    private protected abstract Task<WebServer> StartAsync(ServedApp app, string passwords);

    private protected Task<PasswordSite> StartAsync() => PasswordSite.StartAsync(UserParameter, StartAsync);

    private protected static async Task<(int Status, string Text)> AskAsync(
        PasswordSite site, string path, string headers)
    {
        var response = await site.SendAsync($"GET {path} HTTP/1.1\r\nHost: h\r\n{headers}\r\n");
        return (response.Status, response.Text);
    }
}
