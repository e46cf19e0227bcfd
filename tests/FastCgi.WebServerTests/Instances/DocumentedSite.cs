namespace FastCgi.WebServerTests.Instances;

/// <summary>The configurations as they stand in docs/instances.md, addresses replaced.</summary>
internal static class DocumentedSite
{
    private const string KeyDirectory = "\"/var/lib/app/keys\"";

    private static readonly string _page = Path.Combine(Repository.Root, "docs", "instances.md");

    private static readonly string _nginx = Block("Instances behind nginx", "nginx", "server {");

    private static readonly string _haproxy = Block("Instances behind HAProxy", "haproxy", "tcp-check");

    public static Task<WebServer> StartNginxAsync(InstancePair pair) => StartNginxAsync(pair, _nginx);

    /// <summary>With two endpoints of one process.</summary>
    public static Task<WebServer> StartNginxAsync(Instance first, Instance second) =>
        StartNginxAsync(_nginx, site => Addressed(first, second, site));

    /// <summary>With the upstream of instances on other machines.</summary>
    public static Task<WebServer> StartNginxForOtherMachinesAsync(InstancePair pair) =>
        StartNginxAsync(pair, Split(Block("Machines behind nginx", "nginx", "fail_timeout")).Before + Split(_nginx).Server);

    public static Task<WebServer> StartStickyNginxAsync(InstancePair pair) =>
        StartNginxAsync(pair, Block("Sticky sessions", "nginx", "map $cookie"));

    public static Task<WebServer> StartNginxStickyByAddressAsync(InstancePair pair) => StartNginxAsync(
        pair, _nginx.Replace("upstream app {", "upstream app { hash $remote_addr consistent;", StringComparison.Ordinal));

    public static Task<WebServer> StartHaproxyAsync(InstancePair pair) => StartHaproxyAsync(pair, _haproxy);

    /// <summary>With checks that the application answers, here at <paramref name="target"/>.</summary>
    public static Task<WebServer> StartHaproxyThatAsksTheApplicationAsync(InstancePair pair, string target) =>
        StartHaproxyAsync(pair, Without(_haproxy, "tcp-check")
            + Block("Instances behind HAProxy", "haproxy", "httpchk").Replace("/healthz", target, StringComparison.Ordinal));

    public static Task<WebServer> StartStickyHaproxyAsync(InstancePair pair) =>
        StartHaproxyAsync(pair, Without(_haproxy, "unix@") + Block("Sticky sessions", "haproxy", "cookie"));

    /// <summary>The program, where it keeps the keys given by its setting "Keys", with further lines before it runs.</summary>
    public static string Program(string further) => Block("Shared state", "csharp", "PersistKeysToFileSystem")
        .Replace(KeyDirectory, "builder.Configuration[\"Keys\"]!", StringComparison.Ordinal)
        .Replace("app.Run();", $"{further}\napp.Run();", StringComparison.Ordinal);

    private static Task<WebServer> StartNginxAsync(InstancePair pair, string site) =>
        StartNginxAsync(site, block => Addressed(pair, block));

    private static Task<WebServer> StartNginxAsync(string site, Func<string, string> addressed) =>
        WebServerProgram.Nginx.StartAsync(endPoint => addressed(site)
            .Replace("listen 80;", $"listen {endPoint};", StringComparison.Ordinal)
            .Replace("include fastcgi_params", "include /etc/nginx/fastcgi_params", StringComparison.Ordinal));

    private static Task<WebServer> StartHaproxyAsync(InstancePair pair, string site) =>
        WebServerProgram.Haproxy.StartAsync(Addressed(pair, site));

    private static string Without(string block, string word) =>
        string.Join('\n', block.Split('\n').Where(line => !line.Contains(word, StringComparison.Ordinal)));

    /// <summary>The one block of the section that has this word.</summary>
    private static string Block(string section, string language, string word) => Assert.Single(
        MarkdownBlocks.Read(_page, language, section), block => block.Contains(word, StringComparison.Ordinal));

    private static (string Before, string Server) Split(string site)
    {
        var server = site.IndexOf("server {", StringComparison.Ordinal);
        return (site[..server], site[server..]);
    }

    private static string Addressed(InstancePair pair, string configuration) =>
        Addressed(pair.First, pair.Second, configuration);

    private static string Addressed(Instance first, Instance second, string configuration) => configuration
        .Replace("unix:/run/app-1/app.sock", first.Address, StringComparison.Ordinal)
        .Replace("unix:/run/app-2/app.sock", second.Address, StringComparison.Ordinal)
        .Replace("unix@/run/app-1/app.sock", InHaproxy(first), StringComparison.Ordinal)
        .Replace("unix@/run/app-2/app.sock", InHaproxy(second), StringComparison.Ordinal)
        .Replace("10.0.0.11:9000", first.Address, StringComparison.Ordinal)
        .Replace("10.0.0.12:9000", second.Address, StringComparison.Ordinal);

    private static string InHaproxy(Instance instance) =>
        instance.Address.Replace("unix:", "unix@", StringComparison.Ordinal);
}
