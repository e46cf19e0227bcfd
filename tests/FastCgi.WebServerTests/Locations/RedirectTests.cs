namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Behind each web server the application sees the page that an HTTP back end behind the same configuration sees, as
/// docs/evidence/locations.md shows it.
/// </summary>
public sealed class RedirectTests
{
    private const string Header = "| web server | directive | the client asks for | the application sees |\n| --- | --- | --- | --- |\n";
    private const string FastCgi = "| nginx | ";
    private const string Scgi = "| nginx, SCGI | ";

    [Fact]
    public async Task The_application_sees_the_page_that_Kestrel_behind_the_same_configuration_sees()
    {
        var lines = new List<string>();
        var wrong = new List<string>();
        foreach (var server in RedirectingServers.All)
        {
            var seen = await AskAsync(server, isHttp: false);
            var expected = await AskAsync(server, isHttp: true);
            foreach (var (row, ours, theirs) in server.Rows.Zip(seen, expected))
            {
                if ((ours == theirs) != row.Difference is null)
                {
                    wrong.Add($"{server.Name}, {row.Directive}, {row.Request}: {ours}; Kestrel: {theirs}");
                }

                var cell = row.Difference is null ? $"`{ours}`" : $"`{ours}`; Kestrel: `{theirs}`. {row.Difference}.";
                string[] cells = [server.Name, Code(row.Directive), Code(row.Request.Replace("GET ", "")), cell];
                lines.Add($"| {string.Join(" | ", cells)} |");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        LocationTests.Page.AssertHas(Header + string.Join('\n', WithoutTwins(lines)), "of redirects ");
    }

    /// <summary>Rows of nginx by SCGI that are those of nginx by FastCGI are left out.</summary>
    private static IEnumerable<string> WithoutTwins(List<string> lines) =>
        lines.Where(line => !line.StartsWith(Scgi, StringComparison.Ordinal) || !lines.Contains(line.Replace(Scgi, FastCgi)));

    private static string Code(string text) => text == "none" ? text : $"`{text.Replace("|", "\\|")}`";

    private static async Task<IReadOnlyList<string>> AskAsync(RedirectingServer server, bool isHttp)
    {
        await using var backEnd = await RedirectBackEnd.StartAsync(isHttp);
        await using var webServer = await server.Start(backEnd);
        var seen = new List<string>();
        foreach (var row in server.Rows)
        {
            seen.Add(await backEnd.SeenOfAsync(webServer, row));
        }

        return seen;
    }
}

/// <summary>The application on our server or on Kestrel, with a note of each request that it gets.</summary>
internal sealed class RedirectBackEnd : IAsyncDisposable
{
    /// <summary>A request that has not come by then does not come.</summary>
    private static readonly TimeSpan s_patience = Deadline.Of(TimeSpan.FromSeconds(5));

    private readonly ConcurrentQueue<string> _seen = new();
    private readonly SemaphoreSlim _arrived = new(0);
    private ServedApp _app = null!;

    private RedirectBackEnd(bool isHttp) => IsHttp = isHttp;

    /// <summary>Kestrel, which a web server reaches by HTTP.</summary>
    public bool IsHttp { get; }

    public string SocketPath => _app.SocketPath;

    public string ScgiSocketPath => _app.ScgiSocketPath;

    /// <summary>A folder for the web server: pages to include, files that are there, an empty list of users.</summary>
    public string Root => _app.Folder;

    public static async Task<RedirectBackEnd> StartAsync(bool isHttp)
    {
        var backEnd = new RedirectBackEnd(isHttp);
        backEnd._app = isHttp
            ? await ServedApp.StartAsync(BackEnd.Kestrel with { UseFirst = null }, app => app.Run(backEnd.AnswerAsync))
            : await ServedApp.StartOnUnixAndTcpAsync(app => app.Run(backEnd.AnswerAsync));
        WriteFiles(backEnd.Root);
        File.SetUnixFileMode(backEnd.SocketPath, WorkDirectory.EverybodysFile);
        return backEnd;
    }

    /// <summary>The requests that reach the application after one request of a client, in the order of their text.</summary>
    public async Task<string> SeenOfAsync(WebServer webServer, RedirectRow row)
    {
        while (_seen.TryDequeue(out _))
        {
            await _arrived.WaitAsync();
        }

        var status = await AskAsync(webServer, row.Request);
        var seen = new List<string>();
        // A mirrored request may come after the response.
        while (seen.Count < row.Count && await _arrived.WaitAsync(s_patience))
        {
            Assert.True(_seen.TryDequeue(out var line));
            seen.Add(line);
        }

        if (seen.Count < row.Count)
        {
            seen.Add($"nothing, status {status}");
        }

        seen.Sort(StringComparer.Ordinal);
        return string.Join(", then ", seen);
    }

    /// <summary>The requests that have reached the application when the client has its response, and the status.</summary>
    public async Task<string> OutcomeOfAsync(WebServer webServer, string target)
    {
        _seen.Clear();
        var status = await AskAsync(webServer, $"GET {target}");
        return $"{string.Join(", then ", _seen.Order(StringComparer.Ordinal))} {status}";
    }

    /// <summary>The Content-Length that the application sees of a request without a body.</summary>
    public async Task<string> LengthSeenAsync(WebServer webServer, string method, bool sendsZero)
    {
        _seen.Clear();
        await AskAsync(webServer, $"{method} /length", sendsZero ? "Content-Length: 0\r\n" : "");
        return Assert.Single(_seen);
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _arrived.Dispose();
    }

    /// <param name="header">A header line with its end.</param>
    private static async Task<int> AskAsync(WebServer webServer, string request, string header = "")
    {
        await using var client = await RawHttpClient.ConnectAsync(webServer.EndPoint);
        var body = request.StartsWith("POST ", StringComparison.Ordinal) ? "abc" : "";
        var length = body.Length == 0 ? "" : "Content-Length: 3\r\n";
        await client.SendAsync($"{request} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{length}{header}\r\n{body}");
        var response = await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal))
            .Within($"the response to '{request}'", webServer.ErrorLog.ToString);
        return response.Status;
    }

    private async Task AnswerAsync(HttpContext context)
    {
        var request = context.Request;
        if (request.Path == "/send-elsewhere")
        {
            context.Response.Headers["X-Accel-Redirect"] = "/else%20where?z=%2F";
            context.Response.Headers["X-Reproxy-URL"] = "http://h/else%20where?z=%2F";
            return;
        }

        if (request.Path == "/length")
        {
            _seen.Enqueue(request.Headers.ContentLength?.ToString(CultureInfo.InvariantCulture) ?? "none");
            return;
        }

        var target = $"{request.PathBase.Value}{request.Path.Value}{request.QueryString.Value}";
        _seen.Enqueue(HttpMethods.IsGet(request.Method) ? target : $"{request.Method} {target}");
        _arrived.Release();
        if (request.Path == "/fail")
        {
            context.Response.StatusCode = StatusCodes.Status500InternalServerError;
        }
        else if (!HttpMethods.IsHead(request.Method))
        {
            await context.Response.WriteAsync("a page");
        }
    }

    private static void WriteFiles(string root)
    {
        var site = Directory.CreateDirectory(Path.Combine(root, "site")).FullName;
        File.WriteAllText(Path.Combine(root, "users"), "");
        File.WriteAllText(Path.Combine(site, "page.shtml"), "<!--#include virtual=\"/included/frag?x=1\" -->");
        File.WriteAllText(Path.Combine(site, "there.txt"), "a file");
        Directory.CreateDirectory(Path.Combine(site, "folder"));
        File.WriteAllText(Path.Combine(site, "folder", "index.html"), "a page");
    }
}
