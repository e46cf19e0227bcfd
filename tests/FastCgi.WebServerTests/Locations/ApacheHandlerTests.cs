namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Apache by SetHandler, where SCRIPT_FILENAME is a file: the path is that of the page that Apache asks for. An HTTP back
/// end gets the path of the file there and is no oracle, so the pages are those of the same directives with ProxyPass.
/// </summary>
public sealed class ApacheHandlerTests
{
    private static readonly string[] s_modules =
        ["authz_core", "authz_host", "alias", "dir", "env", "mime", "rewrite"];

    private static readonly (string Target, string Seen)[] s_cases =
    [
        ("/plain/a%20b?x=%2F", "/plain/a b?x=%2F"),
        ("/a%2Fb//c?x", "/a%2Fb//c?x"),
        ("/office//../plain/a", "/plain/a"),
        ("/office/customers?x=1", "/errors/403"),
        ("/gone/a?x=1", "/errors/404?e=1"),
        ("/pt/a/b?x=1", "/new/a/b?x=1"),
        ("/denied/plain/a", "/refusal/plain/a"),
        ("/folder/?x=1", "/folder/index.html?x=1"),
    ];

    [Fact]
    public async Task SetHandler_of_the_proxy_shows_the_page_that_Apache_asks_for()
    {
        await using var site = await Site.StartAsync(
            app => WebServerProgram.Apache([.. s_modules, "proxy", "proxy_fcgi"]).StartAsync(
                Directives(Root(app), $"SetHandler \"proxy:unix:{app.SocketPath}|fcgi://app\"")),
            static app => app.Run(async context => await context.Response.WriteAsJsonAsync(await Seen.ByAsync(context.Request))),
            builder => WriteFolder(builder.Environment.ContentRootPath));

        await AssertSeenAsync(site.WebServer);
    }

    [Fact]
    public async Task Mod_fcgid_shows_the_page_that_Apache_asks_for()
    {
        using var program = new StartedProgram(
            typeof(MatrixApplication).Assembly.Location, new Dictionary<string, string>());
        WriteFolder(program.Folder);
        var sockets = program.CreateSocketDirectory();
        await using var apache = await WebServerProgram.Apache([.. s_modules, "fcgid"]).StartAsync(
            $"""
            FcgidIPCDir {sockets}
            FcgidProcessTableFile {sockets}/processes
            FcgidConnectTimeout 30
            {Directives(program.Folder, $"Options +ExecCGI\nSetHandler fcgid-script\nFcgidWrapper {program.Script} virtual")}
            """);

        await AssertSeenAsync(apache);
    }

    private static async Task AssertSeenAsync(WebServer apache)
    {
        foreach (var (target, expected) in s_cases)
        {
            await using var client = await RawHttpClient.ConnectAsync(apache.EndPoint);
            await client.SendAsync($"GET {target} HTTP/1.1\r\nHost: h\r\n\r\n");
            var response = await client.ReadResponseAsync();
            var seen = response.Text.StartsWith('{')
                ? JsonSerializer.Deserialize<Seen>(response.Text, JsonSerializerOptions.Web)
                : null;
            Assert.True(
                $"{seen?.Path}{seen?.Query}" == expected,
                $"{target}: {seen?.Path}{seen?.Query}, not {expected}. {response.Status} {response.Text} {apache.ErrorLog}");
        }
    }

    private static string Root(ServedApp app) => Path.GetDirectoryName(app.SocketPath)!;

    private static void WriteFolder(string root)
    {
        var folder = Directory.CreateDirectory(Path.Combine(root, "site", "folder")).FullName;
        File.WriteAllText(Path.Combine(folder, "index.html"), "a page");
    }

    private static string Directives(string root, string handler) => $"""
        DocumentRoot {root}/site
        AllowEncodedSlashes NoDecode
        TypesConfig /dev/null
        DirectoryIndex index.html
        ErrorDocument 403 /errors/403
        ErrorDocument 404 "/errors/404?e=1"
        <Location "/">
            Require all granted
            {handler}
        </Location>
        <Location "/office">
            Require ip 192.0.2.1
        </Location>
        RewriteEngine on
        RewriteRule ^/gone/ - [R=404]
        RewriteRule ^/pt/(.*)$ /new/$1 [PT]
        RewriteRule ^/denied/(.*)$ /refusal/$1 [PT]
        """;
}
