using System.Net;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.WebServerTests.Identity;

public sealed class NginxUserTests : UserTests
{
    [Fact]
    public async Task The_password_stays_with_nginx()
    {
        await using var site = await StartAsync();

        Assert.Equal((200, ""), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
    }

    [Fact]
    public async Task An_unverified_name_of_Debian_s_file_signs_nobody_in_and_a_warning_says_why()
    {
        await using var site = await PasswordSite.StartAsync("REMOTE_USER", static (app, _) => NginxServer.StartAsync(
            endPoint => $$"""
                server {
                    listen {{endPoint}};
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_param REMOTE_USER $remote_user;
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                }
                """));

        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
        Assert.Equal(401, (await AskAsync(site, "/staff", MembersApp.Credentials("ann"))).Status);

        var warning = Assert.Single(
            site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
        Assert.Contains("fastcgi_param REMOTE_USER \"\";", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_same_lines_hold_for_SCGI()
    {
        using var directory = new WorkDirectory();
        var socket = directory.File("scgi.sock");
        await using var site = await PasswordSite.StartAsync(
            "REMOTE_USER",
            (_, passwords) => NginxServer.StartAsync(
                endPoint => Write(endPoint, socket, passwords).With("fastcgi_", "scgi_")),
            builder => builder.Services.Configure<FastCgiServerOptions>(
                options => options.ListenUnixSocket(
                    socket, listen => listen.Protocol = FastCgiEndpointProtocol.Scgi)));

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, ""), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
    }

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        NginxServer.StartAsync(endPoint => Write(endPoint, app.SocketPath, passwords));

    private static string Write(IPEndPoint endPoint, string socket, string passwords) => $$"""
        server {
            listen {{endPoint}};
        {{IdentityPage.Users("nginx")
            .With("/run/app/app.sock", socket)
            .With("/etc/nginx/members", passwords)
            .With("include fastcgi_params", "include /etc/nginx/fastcgi_params")}}
        }
        """;
}
