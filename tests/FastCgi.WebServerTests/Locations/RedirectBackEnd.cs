using System.Collections.Concurrent;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerTests.Locations;

/// <summary>The application on our server or on Kestrel, with a note of each request that it gets.</summary>
internal sealed class RedirectBackEnd : IAsyncDisposable
{
    /// <summary>A request that has not come by then does not come.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly ConcurrentQueue<string> _seen = new();
    private readonly SemaphoreSlim _arrived = new(0);
    private readonly WorkDirectory _files = new();
    private ServedApp _app = null!;

    private RedirectBackEnd(bool isHttp) => IsHttp = isHttp;

    /// <summary>Kestrel, which a web server reaches by HTTP.</summary>
    public bool IsHttp { get; }

    public string SocketPath => _app.SocketPath;

    public string ScgiSocketPath => _app.ScgiSocketPath;

    /// <summary>A folder for the web server: pages to include, files that are there, an empty list of users.</summary>
    public string Root => _files.Path;

    public static async Task<RedirectBackEnd> StartAsync(bool isHttp)
    {
        var backEnd = new RedirectBackEnd(isHttp);
        backEnd.WriteFiles();
        backEnd._app = isHttp
            ? await ServedApp.StartAsync(new PlainKestrel(), app => app.Run(backEnd.AnswerAsync))
            : await ServedApp.StartOnUnixAndTcpAsync(app => app.Run(backEnd.AnswerAsync));
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

        await using var client = await RawHttpClient.ConnectAsync(webServer.EndPoint);
        var body = row.Request.StartsWith("POST ", StringComparison.Ordinal) ? "abc" : "";
        var length = body.Length == 0 ? "" : "Content-Length: 3\r\n";
        await client.SendAsync($"{row.Request} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{length}\r\n{body}");
        var response = await client.ReadResponseAsync(row.Request.StartsWith("HEAD ", StringComparison.Ordinal))
            .Within($"the response to '{row.Request}' by {row.Directive}", webServer.ErrorLog.ToString);
        var seen = new List<string>();
        // A mirrored request may come after the response.
        while (seen.Count < row.Count && await _arrived.WaitAsync(s_patience))
        {
            Assert.True(_seen.TryDequeue(out var line));
            seen.Add(line);
        }

        if (seen.Count < row.Count)
        {
            seen.Add($"nothing, status {response.Status}");
        }

        seen.Sort(StringComparer.Ordinal);
        return string.Join(", then ", seen);
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _files.Dispose();
        _arrived.Dispose();
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

    private void WriteFiles()
    {
        _files.LetEverybodyThrough();
        var site = _files.Subdirectory("site");
        File.WriteAllText(_files.File("users"), "");
        File.WriteAllText(Path.Combine(site, "page.shtml"), "<!--#include virtual=\"/included/frag?x=1\" -->");
        File.WriteAllText(Path.Combine(site, "there.txt"), "a file");
        Directory.CreateDirectory(Path.Combine(site, "folder"));
        File.WriteAllText(Path.Combine(site, "folder", "index.html"), "a page");
    }

    private sealed class PlainKestrel : IBackEnd
    {
        public int? Keepalive => null;

        public void Listen(IWebHostBuilder webHost, string socketPath) =>
            webHost.UseKestrel(options => options.ListenUnixSocket(socketPath));

        public void UseFirst(WebApplication app)
        {
        }

        public string Location(string upstream, NginxSettings settings) => throw new NotSupportedException();
    }
}
