using System.Text.Json;

namespace FastCgi.Gateway.Tests.Php;

/// <summary>The same scripts behind nginx, with Debian's configuration for PHP, and behind Kestrel with MapFastCgi.</summary>
[SupportedOSPlatform("linux")]
public sealed class PhpSites : IAsyncLifetime
{
    private const string Script = """
        <?php
        header('Content-Type: application/json');
        $files = [];
        foreach ($_FILES as $name => $file) {
            $files[$name] = $file['name'] . ' ' . $file['type'] . ' ' . $file['error'] . ' ' . sha1_file($file['tmp_name']);
        }
        $body = file_get_contents('php://input');
        echo json_encode([
            '$_SERVER' => $_SERVER, '$_GET' => $_GET, '$_POST' => $_POST, '$_COOKIE' => $_COOKIE, '$_FILES' => $files,
            'php://input' => ['length' => strlen($body), 'sha1' => sha1($body)],
        ], JSON_INVALID_UTF8_SUBSTITUTE | JSON_FORCE_OBJECT);
        """;

    /// <summary>They differ from request to request.</summary>
    private static readonly string[] s_ofTheMoment = ["REQUEST_TIME", "REQUEST_TIME_FLOAT", "REMOTE_PORT"];

    private readonly WorkDirectory _directory = new();
    private PhpFpm? _php;
    private WebServer? _nginx;
    private GatewayFront? _gateway;

    public async ValueTask InitializeAsync()
    {
        string root = _directory.Subdirectory("www");
        Directory.CreateDirectory(Path.Combine(root, "sub"));
        foreach (string file in (string[])["index.php", "see.php", "sub/index.php", "s p\u00e9.php"])
        {
            await File.WriteAllTextAsync(Path.Combine(root, file), Script);
        }

        await File.WriteAllTextAsync(Path.Combine(root, "style.css"), "body { color: red }");
        _php = await PhpFpm.StartAsync(_directory);
        _nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                server_name example.org;
                root {{root}};
                index index.php;
                location / {
                    try_files $uri $uri/ /index.php?$args;
                }
                location ~ \.php(/|$) {
                    fastcgi_split_path_info ^(.+?\.php)(/.*)$;
                    try_files $fastcgi_script_name =404;
                    set $path_info $fastcgi_path_info;
                    fastcgi_param PATH_INFO $path_info;
                    fastcgi_index index.php;
                    include /etc/nginx/fastcgi.conf;
                    fastcgi_pass {{_php.Endpoint}};
                }
            }
            """);
        _gateway = await GatewayFront.StartAsync(
            application => application.MapFastCgi("/{**path}", _php.Endpoint, options =>
            {
                options.DocumentRoot = root;
                options.FrontController = "/index.php";
            }));
    }

    /// <summary>The status, and what PHP saw; nothing of it where PHP did not run.</summary>
    internal Task<SortedDictionary<string, string>> ThroughNginxAsync(string request) =>
        AskAsync(_nginx!.EndPoint, request);

    /// <inheritdoc cref="ThroughNginxAsync"/>
    internal Task<SortedDictionary<string, string>> ThroughGatewayAsync(string request) =>
        AskAsync(IPEndPoint.Parse(_gateway!.Uri.Authority), request);

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_gateway, _nginx, _php);
        _directory.Dispose();
    }

    private async Task<SortedDictionary<string, string>> AskAsync(IPEndPoint server, string request)
    {
        await using var client = await RawHttpClient.ConnectAsync(server);
        await client.SendAsync(request);
        RawResponse response = await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal));
        var seen = new SortedDictionary<string, string>(StringComparer.Ordinal) { ["status"] = $"{response.Status}" };
        if (response.Header("Location") is { } location)
        {
            seen["Location"] = new Uri(new Uri("http://example.org/"), location).PathAndQuery;
        }

        if (response.Header("Content-Type") != "application/json")
        {
            seen["body"] = response.Status == 200 ? response.Text : "";
            return seen;
        }

        if (response.Body.Length == 0)
        {
            return seen;
        }

        using var document = JsonDocument.Parse(response.Body);
        foreach (JsonProperty group in document.RootElement.EnumerateObject())
        {
            foreach (JsonProperty entry in group.Value.EnumerateObject())
            {
                if (!s_ofTheMoment.Contains(entry.Name))
                {
                    seen[$"{group.Name}[{entry.Name}]"] = entry.Value.ToString()
                        .Replace($"{server.Port}", "(port)", StringComparison.Ordinal)
                        .Replace(_directory.Path, "", StringComparison.Ordinal);
                }
            }
        }

        return seen;
    }
}
