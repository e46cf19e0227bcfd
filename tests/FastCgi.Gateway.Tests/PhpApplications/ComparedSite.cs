using System.Security.Cryptography;
using FastCgi.Gateway.Tests.Php;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>
/// A PHP application behind nginx and on Kestrel by MapFastCgi, with one PHP-FPM and one document root.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed partial class ComparedSite : IAsyncDisposable
{
    private PhpFpm? _php;
    private WebServer? _nginx;
    private GatewayFront? _gateway;

    private ComparedSite()
    {
    }

    public string PhpLog => _php!.Log;

    public HttpClient Gateway => _gateway!.Client;

    /// <param name="mount">Where the application stands, as /wiki.</param>
    /// <param name="frontController">The script of paths that name no file, or null.</param>
    /// <param name="closed">Folders of it that nobody may see.</param>
    public static Task<ComparedSite> StartAsync(
        WorkDirectory directory,
        string mount,
        string root,
        string? frontController = null,
        IReadOnlyDictionary<string, string>? variables = null,
        params string[] closed) =>
        new ComparedSite().StartedAsync(
            site => site.StartPartsAsync(directory, mount, root, frontController, variables, closed));

    /// <summary>Each path has the same answer, save those that are listed with their reason, which have another.</summary>
    public async Task AssertSameAsync(IEnumerable<string> paths, IReadOnlyDictionary<string, string>? differing = null)
    {
        List<string> wrong = [];
        foreach (string path in paths.Concat(differing?.Keys ?? []))
        {
            string before = await AskAsync(_nginx!.EndPoint, path);
            string after = await AskAsync(IPEndPoint.Parse(_gateway!.Uri.Authority), path);
            bool isListed = differing?.ContainsKey(path) == true;
            if (before == after == isListed)
            {
                wrong.Add(isListed
                    ? $"{path} is listed as different and is not: {before[..Math.Min(before.Length, 200)]}"
                    : $"{path}\n  nginx:      {Around(before, after)}\n  MapFastCgi: {Around(after, before)}");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    public ValueTask DisposeAsync() => Starting.EndAsync(_gateway, _nginx, _php);

    private async Task StartPartsAsync(
        WorkDirectory directory,
        string mount,
        string root,
        string? frontController,
        IReadOnlyDictionary<string, string>? variables,
        string[] closed)
    {
        string site = directory.Subdirectory("site");
        string mounted = site + mount;
        Directory.CreateSymbolicLink(mounted, root);
        string closing = string.Concat(
            closed.Select(folder => $"location ~ ^{mount}/{folder}(/|$) {{ return 404; }}\n"));
        _php = await UnpackedPackages.StartPhpAsync(directory, "300M", variables);
        _nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                server_name site.example;
                root {{site}};
                index index.php index.html;
                absolute_redirect off;
                include /etc/nginx/mime.types;
                {{closing}}
                location / {
                    try_files $uri $uri/ {{(frontController is null ? "=404" : $"{mount}{frontController}?$args")}};
                }
                location ~ \.php(/|$) {
                    fastcgi_split_path_info ^(.+?\.php)(/.*)$;
                    try_files $fastcgi_script_name =404;
                    set $path_info $fastcgi_path_info;
                    fastcgi_param PATH_INFO $path_info;
                    include /etc/nginx/fastcgi.conf;
                    fastcgi_param SERVER_SOFTWARE nginx;
                    fastcgi_pass {{_php.Endpoint}};
                }
            }
            """);
        _gateway = await GatewayFront.StartAsync(
            application =>
            {
                application.MapFastCgi(mount + "/{**path}", _php.Endpoint, options =>
                {
                    options.DocumentRoot = mounted;
                    options.FrontController = frontController;
                    options.Parameters["SERVER_SOFTWARE"] = "nginx";
                });
                foreach (string folder in closed)
                {
                    application.Map($"{mount}/{folder}/{{**path}}", static () => Results.NotFound());
                }
            },
            static builder => builder.Services.Configure<KestrelServerOptions>(
                static server => server.Limits.MaxRequestBodySize = null));
    }

    /// <summary>The status, type, address of a redirect, name of a cookie, and content of an answer.</summary>
    private static async Task<string> AskAsync(IPEndPoint server, string path)
    {
        await using var client = await RawHttpClient.ConnectAsync(server);
        await client.SendAsync($"GET {path} HTTP/1.1\r\nHost: site.example\r\nConnection: close\r\n\r\n");
        RawResponse response = await client.ReadResponseAsync(isHead: false);
        string cookies = string.Join(',', response.Head.Lines("Set-Cookie").Select(static cookie => cookie.Split('=')[0]));
        string head = $"{response.Status} {response.Header("Location")} {cookies} ";

        // Debian's nginx has the older name.
        string type = (response.Header("Content-Type") ?? "").Replace("application/java", "text/java", StringComparison.Ordinal);
        if (response.Header("X-Powered-By") is null && response.Status != 200)
        {
            // A page of the server's own.
            return head;
        }

        bool isText = type.StartsWith("text/", StringComparison.Ordinal)
            || type.Contains("json", StringComparison.Ordinal)
            || type.Contains("xml", StringComparison.Ordinal);
        return $"{head}{type} {(isText ? Essence(response.Text) : Convert.ToHexString(SHA256.HashData(response.Body)))}";
    }

    /// <summary>Without what is new in each answer: tokens, times, durations, ports.</summary>
    private static string Essence(string text) => New().Replace(text, "*");

    private static string Around(string one, string other)
    {
        int at = one.Zip(other).TakeWhile(static pair => pair.First == pair.Second).Count();
        return one[Math.Max(0, at - 60)..Math.Min(one.Length, at + 140)].Replace("\n", "\\n", StringComparison.Ordinal);
    }

    [GeneratedRegex(
        """
        [0-9a-f]{16,}|[A-Za-z0-9]{24,}|\d{9,}|\d+\.\d{3,}|127\.0\.0\.1:\d+
        |wgBackendResponseTime":\d+|data-pw="[^"]*"
        |"time":"[^"]*Z"|<dc:date>[^<]*
        """,
        RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex New();
}
