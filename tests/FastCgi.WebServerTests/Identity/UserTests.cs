using System.Security.Claims;
using FastCgi.AspNetCore.Authentication;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.WebServerTests.Identity;

/// <summary>Users whom a web server has verified, with the configuration of the documentation, and who pretend to be.</summary>
public abstract class UserTests(SharedSite shared) : IClassFixture<SharedSite>
{
    [Fact]
    public async Task Whom_the_web_server_has_verified_is_signed_in()
    {
        var site = await StartAsync();

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, "zo\u00EB by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("zo\u00EB")));
        Assert.DoesNotContain(site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
    }

    [Fact]
    public async Task The_application_gives_roles_and_asks_for_them()
    {
        var site = await StartAsync();

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/books", MembersApp.Credentials("ann")));
        Assert.Equal(403, (await AskAsync(site, "/members/books", MembersApp.Credentials("bob"))).Status);
    }

    [Fact]
    public async Task The_web_server_asks_for_the_password_and_refuses_a_wrong_one()
    {
        var site = await StartAsync();

        foreach (var credentials in (string[][])
            [[], [MembersApp.Credentials("ann", "guess")], [MembersApp.Credentials("evil")]])
        {
            var response = await site.AskAsync("/members/me", credentials);
            Assert.Equal(401, response.Status);
            Assert.Equal("Basic realm=\"members\"", response.Header("WWW-Authenticate")?.Split(',')[0]);
        }
    }

    [Fact]
    public async Task Where_nobody_verifies_nobody_is_signed_in_whatever_the_client_sends()
    {
        var site = await StartAsync();

        foreach (var headers in (string[][])
        [
            [MembersApp.Credentials("evil", "x")],
            ["REMOTE_USER: evil", "AUTH_TYPE: Basic"],
            ["Remote-User: evil", "Auth-Type: Basic", "Authenticated-User: evil", "AUTHENTICATED_USER: evil"],
            ["REDIRECT_REMOTE_USER: evil", "HTTP_REMOTE_USER: evil", "HTTP-REMOTE-USER: evil"],
        ])
        {
            var (status, text) = await AskAsync(site, "/open", headers);
            if (status == 400 && RefusesAliases)
            {
                // Two of the names are one param there: the server refuses what it cannot tell apart.
                continue;
            }

            Assert.Equal((200, "nobody"), (status, text));
            var response = await site.AskAsync("/staff", headers);
            Assert.Equal((401, null), (response.Status, response.Header("WWW-Authenticate")));
        }

        Assert.DoesNotContain(site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.UserRefused);
    }

    [Fact]
    public async Task A_user_is_that_of_one_request_and_not_of_the_next_on_the_connection()
    {
        var site = await StartAsync();
        await using var client = await site.ConnectAsync();

        await client.SendAsync($"GET /members/me HTTP/1.1\r\nHost: h\r\n{MembersApp.Credentials("ann")}\r\n\r\n");
        Assert.Equal("ann by Basic", (await client.ReadResponseAsync()).Text);
        await client.SendAsync("GET /open HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal("nobody", (await client.ReadResponseAsync()).Text);
    }

    /// <summary>The web server sends headers that differ in punctuation alone as several params of one name.</summary>
    private protected virtual bool RefusesAliases => false;

    /// <summary>The param that the administrator of this web server vouches for.</summary>
    private protected virtual string UserParameter => "REMOTE_USER";

    /// <summary>The web server of the documentation.</summary>
    private protected abstract Task<WebServer> StartAsync(ServedApp app, string passwords);

    private protected Task<Site> StartAsync() => shared.StartedAsync(() => StartAsync(UserParameter, StartAsync));

    /// <summary>The members' application and a web server in front of it.</summary>
    /// <param name="userParam">The param that is vouched for.</param>
    /// <param name="start">Starts the web server, given the application and the file of passwords.</param>
    /// <param name="build">Further services and options.</param>
    private protected static Task<Site> StartAsync(
        string userParam,
        Func<ServedApp, string, Task<WebServer>> start,
        Action<WebApplicationBuilder>? build = null) => Site.StartAsync(
        app =>
        {
            var passwords = Path.Combine(app.Folder, "members");
            File.WriteAllText(passwords, MembersApp.Passwords);
            return start(app, passwords);
        },
        MembersApp.Configure,
        builder =>
        {
            MembersApp.Build(builder, userParam);
            build?.Invoke(builder);
        });

    private protected static async Task<(int Status, string Text)> AskAsync(
        Site site, string path, params IEnumerable<string> headers)
    {
        var response = await site.AskAsync(path, headers);
        return (response.Status, response.Text);
    }
}

public sealed class ApacheUserTests(SharedSite shared) : UserTests(shared)
{
    private static readonly WebServerProgram s_apache = WebServerProgram.Apache(
        "authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "proxy", "proxy_fcgi");

    [Theory]
    [InlineData("", "")]
    [InlineData("CGIPassAuth On", "Basic YW5uOnNlY3JldA==")]
    public async Task The_password_stays_with_Apache_unless_it_is_told_to_pass_it_on(string line, string expected)
    {
        await using var site = await StartAsync(
            UserParameter, (app, passwords) => StartAsync(app, passwords, $"<Location \"/\">\n{line}\n</Location>"));

        Assert.Equal((200, expected), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
    }

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        StartAsync(app, passwords, "");

    private static Task<WebServer> StartAsync(ServedApp app, string passwords, string more) => s_apache.StartAsync(
        $"{IdentityPage.Users("apache").WithSocket(app).With("/etc/apache2/members", passwords)}\n{more}");
}

public sealed class CaddyUserTests(SharedSite shared) : UserTests(shared)
{
    /// <summary>Of the documentation, and of good measure: a second for each password that is verified.</summary>
    private const string Documented = "ann $2a$14$KyIlzvuTcT4rZHhG6SDEYuji6vKtS4saPdzklyX6.8aleCXuQv7oe";

    /// <summary>The same password, at the least cost that bcrypt has.</summary>
    private const string Hash = "$2y$04$nJE4TN/YKuuuFjy9cvZwhOQLQH2gCRCFKQHUlQ8EjqVJRelukmcrG";

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        WebServerProgram.StartCaddyAsync(IdentityPage.Users("caddyfile").WithSocket(app)
            .With(Documented, string.Join("\n\t", ((string[])["ann", "bob", "zo\u00EB"]).Select(user => $"{user} {Hash}"))));
}

/// <summary>HAProxy has no file of passwords, and a REMOTE_USER that is the client's.</summary>
public sealed class HaproxyUserTests(SharedSite shared) : UserTests(shared)
{
    private const string DocumentedUser = "user ann password ";

    private protected override string UserParameter => "AUTHENTICATED_USER";

    [Fact]
    public async Task What_it_sends_by_itself_signs_nobody_in_and_a_warning_says_why()
    {
        await using var site = await StartAsync(
            "REMOTE_USER",
            static (app, _) => WebServerProgram.Haproxy.StartAsync($"""
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
        await using var site = await StartAsync("REMOTE_USER", StartAsync);

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
        return WebServerProgram.Haproxy.StartAsync(site.With(ann, ann + string.Concat(others)));
    }
}

public sealed class LighttpdUserTests(SharedSite shared) : UserTests(shared)
{
    [Fact]
    public async Task Whom_an_authorizer_has_let_in_is_signed_in_by_its_variable()
    {
        await using var site = await Site.StartAsync(
            static app => WebServerProgram.Lighttpd.StartAsync(IdentityPage.Authorizers("lighttpd").WithSocket(app)),
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

        Assert.Equal("ann", (await site.AskAsync("/?ann", "Member: evil")).Text);
        Assert.Equal("nobody", (await site.AskAsync("/", "Member: evil")).Text);
    }

    private protected override bool RefusesAliases => true;

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        WebServerProgram.Lighttpd.StartAsync(
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

public sealed class NginxUserTests(SharedSite shared) : UserTests(shared)
{
    [Fact]
    public async Task The_password_stays_with_nginx()
    {
        var site = await StartAsync();

        Assert.Equal((200, ""), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
    }

    [Fact]
    public async Task An_unverified_name_of_Debian_s_file_signs_nobody_in_and_a_warning_says_why()
    {
        await using var site = await StartAsync("REMOTE_USER", static (app, _) => WebServerProgram.Nginx.StartAsync(
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
        await using var site = await StartAsync(
            "REMOTE_USER",
            (_, passwords) => WebServerProgram.Nginx.StartAsync(
                endPoint => Write(endPoint, socket, passwords).With("fastcgi_", "scgi_")),
            builder => builder.Services.Configure<FastCgiServerOptions>(
                options => options.ListenUnixSocket(
                    socket, listen => listen.Protocol = FastCgiEndpointProtocol.Scgi)));

        Assert.Equal((200, "ann by Basic"), await AskAsync(site, "/members/me", MembersApp.Credentials("ann")));
        Assert.Equal((200, ""), await AskAsync(site, "/members/header", MembersApp.Credentials("ann")));
        Assert.Equal((200, "nobody"), await AskAsync(site, "/open", MembersApp.Credentials("evil", "x")));
    }

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        WebServerProgram.Nginx.StartAsync(endPoint => Write(endPoint, app.SocketPath, passwords));

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

/// <summary>An application whose members the web server knows, and whose roles it knows itself.</summary>
internal static class MembersApp
{
    /// <summary>ann, bob and zoë, each with the password "secret", as htpasswd writes them.</summary>
    public const string Passwords =
        "ann:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n" +
        "bob:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n" +
        "zo\u00EB:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n";

    public static void Build(WebApplicationBuilder builder, string userParam)
    {
        builder.Services.AddAuthentication(FastCgiUserDefaults.AuthenticationScheme).AddFastCgiUser(options =>
        {
            options.UserParameter = userParam;
            options.Events.OnUserValidated = static context =>
            {
                if (context.UserName == "ann")
                {
                    context.Principal!.Identities.First().AddClaim(new Claim(ClaimTypes.Role, "boss"));
                }

                return Task.CompletedTask;
            };
        });
        builder.Services.AddAuthorization();
    }

    public static void Configure(WebApplication app)
    {
        app.MapGet("/members/me", Describe).RequireAuthorization();
        app.MapGet("/members/books", Describe).RequireAuthorization(static policy => policy.RequireRole("boss"));
        app.MapGet("/members/header", static (HttpRequest request) => $"{request.Headers.Authorization}");

        // Below no path that a web server protects.
        app.MapGet("/open", Describe);
        app.MapGet("/staff", Describe).RequireAuthorization();
    }

    public static string Credentials(string user, string password = "secret") =>
        $"Authorization: Basic {Convert.ToBase64String(Encoding.UTF8.GetBytes($"{user}:{password}"))}";

    private static string Describe(ClaimsPrincipal user) =>
        user.Identity is { IsAuthenticated: true, Name: var name, AuthenticationType: var type }
            ? $"{name} by {type}"
            : "nobody";
}
