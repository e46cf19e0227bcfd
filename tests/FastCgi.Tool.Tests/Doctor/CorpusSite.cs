using System.Globalization;
using System.Net;
using System.Text;
using Xunit.Sdk;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>A real web server with a site of the corpus.</summary>
internal sealed class CorpusSite : IAsyncDisposable
{
    private readonly WebServer? _server;

    private CorpusSite(WebServer? server) => _server = server;

    public static Task<CorpusSite> StartAsync(Func<IPEndPoint, string> site) =>
        StartAsync(NginxWithDebiansFiles, site);

    public static Task<CorpusSite> StartApacheAsync(Func<IPEndPoint, string> site) => StartAsync(
        WebServerProgram.Apache(
            "authz_core", "alias", "dir", "env", "setenvif", "remoteip", "rewrite", "proxy", "proxy_http", "proxy_fcgi"),
        site);

    private static async Task<CorpusSite> StartAsync(WebServerProgram program, Func<IPEndPoint, string> site)
    {
        try
        {
            return new CorpusSite(await program.StartAsync(site));
        }
        catch (XunitException)
        {
            return new CorpusSite(null);
        }
    }

    /// <summary>The answers that differ from those of a site that works.</summary>
    public async Task<IReadOnlyList<string>> ComplaintsAsync(IEnumerable<CorpusAsk> asks, string host)
    {
        if (_server is null)
        {
            return ["the web server does not start"];
        }

        List<string> complaints = [];
        foreach (var ask in asks)
        {
            complaints.AddRange(await ComplaintsAsync(ask, host));
        }

        return complaints;
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }
    }

    private async Task<IEnumerable<string>> ComplaintsAsync(CorpusAsk ask, string host)
    {
        await using var client = await RawHttpClient.ConnectAsync(_server!.EndPoint);
        var head = new StringBuilder($"{ask.Method} {ask.Target} HTTP/1.1\r\n");
        foreach (var (name, value) in ask.Headers.Any(static header => header.Name == "Host")
            ? ask.Headers
            : ask.Headers.Prepend(("Host", host)))
        {
            head.Append(CultureInfo.InvariantCulture, $"{name}: {value}\r\n");
        }

        await client.SendAsync($"{head}Content-Length: {ask.Body.Length}\r\n\r\n{ask.Body}");
        var response = await client.ReadResponseAsync(ask.Method == "HEAD");
        return ask.Expected.Select(expected => (expected.Name, expected.Value, Seen: expected.Name switch
        {
            "status" => response.Status.ToString(CultureInfo.InvariantCulture),
            "text" => response.Text,
            "cookies" => response.Head.Lines("Set-Cookie").Count > 0 ? "yes" : "no",
            var name => SeedSite.Line(response.Text, name),
        }))
            .Where(static answer => answer.Seen != answer.Value)
            .Select(answer => $"{ask.Method} {ask.Target}: {answer.Name} is '{answer.Seen}', not '{answer.Value}'");
    }

    /// <summary>Files are included relative to nginx.conf, as on Debian.</summary>
    private static WebServerProgram NginxWithDebiansFiles { get; } = WebServerProgram.Nginx with
    {
        Configure = static (directory, endPoint, site) =>
        {
            Link(directory);
            return WebServerProgram.Nginx.Configure(directory, endPoint, site);
        },
    };

    public static void Link(WorkDirectory directory)
    {
        foreach (var name in (string[])["fastcgi_params", "fastcgi.conf", "scgi_params", "mime.types", "snippets"])
        {
            File.CreateSymbolicLink(directory.File(name), $"/etc/nginx/{name}");
        }
    }
}
