using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>The same target, sent to a real Kestrel: the path that an application sees must be the same.</summary>
public class KestrelComparisonTests
{
    private static readonly string[] _targets =
    [
        "/", "/a/b?x=1", "/a?", "/a%20b", "/%2F", "/%2f", "/%252F", "/%2e%2e/a", "/a/%2e/b", "/a/./b", "/a/../b",
        "/a/..", "/a/.", "/..", "/.", "/../..", "/a//b", "/a//../b", "//", "//..", "/...", "/.a", "/a/.b/..c",
        "/%zz", "/%", "/%4", "/%41", "/%%41", "/%C3%A9", "/%c3%a9", "/%C3", "/%C3x", "/%C3%C3%A9", "/%A9",
        "/%E2%82%AC", "/%E2%82", "/%E2%82x", "/%F0%9F%98%80", "/%F0%9F%98", "/%ED%A0%80", "/%C0%AF", "/%E0%80%80",
        "/%F5%80%80%80", "/%F4%90%80%80", "/%FF", "/%00", "/a%00b", "/%0a", "/%0d%0a", "/%7F", "/a\\b", "/a|b",
        "/a;b=c", "/a+b", "/a:b@c", "/~!$&'()*,=", "/%5c", "/%3F?y", "/%23", "/%C3%2F", "/%E2%2F%82",
        "/a/%2e%2e%2fb", "/%2e%2e%2f%2e%2e", "/a%2f..%2fb", "/..%2f", "/x/%2E%2E/%2E", "/?%00", "/a?%2e%2e",
        "/a/b/../../..", "/a/b/../../../c", "/./././", "/a/./", "/.//", "/..//a", "/a/..b/../c", "/%EF%BF%BD",
        "/%CC%81e",
    ];

    [Fact]
    public async Task A_target_gives_the_path_that_Kestrel_gives()
    {
        using var deadline = new CancellationTokenSource(Deadline.Of(TimeSpan.FromSeconds(60)));
        await using var application = await StartAsync(deadline.Token);
        var address = application.Services.GetRequiredService<IServer>().Features
            .GetRequiredFeature<IServerAddressesFeature>().Addresses.Single();

        foreach (var target in _targets.Concat(RandomTargets(count: 400)))
        {
            var expected = await AskAsync(new Uri(address).Port, target, deadline.Token);
            Assert.Equal((target, expected), (target, Ours(target)));
        }
    }

    private static string Ours(string target)
    {
        var request = new FastCgi.AspNetCore.Cgi.CgiRequest(new());
        ParamSet.Fill(request.Params, ("REQUEST_METHOD", "GET"), ("REQUEST_URI", target), ("HTTP_HOST", "h"));
        return request.Load() is { } rejection
            ? $"{rejection.StatusCode}"
            : Describe(request.RawTarget, request.Path, request.QueryString);
    }

    private static string Describe(string target, string path, string query) =>
        Convert.ToHexString(Encoding.BigEndianUnicode.GetBytes($"{target} {path} {query}"));

    private static IEnumerable<string> RandomTargets(int count)
    {
        string[] pieces =
        [
            "/", "/", ".", "..", "%", "%2e", "%2F", "%25", "a", "%C3", "%A9", "%E2", "%82", "%AC", "%41", "%0", "?",
        ];
        var random = new Random(20260101);
        for (var i = 0; i < count; i++)
        {
            yield return "/" + string.Concat(random.GetItems(pieces, random.Next(1, 12)));
        }
    }

    private static async Task<WebApplication> StartAsync(CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var application = builder.Build();
        application.Run(context =>
        {
            var request = context.Features.GetRequiredFeature<IHttpRequestFeature>();
            return context.Response.WriteAsync(Describe(request.RawTarget, request.Path, request.QueryString));
        });
        await application.StartAsync(cancellationToken);
        return application;
    }

    private static async Task<string> AskAsync(int port, string target, CancellationToken cancellationToken)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port, cancellationToken);
        await using var stream = client.GetStream();
        var request = $"GET {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        await stream.WriteAsync(Encoding.ASCII.GetBytes(request), cancellationToken);
        using var reader = new StreamReader(stream, Encoding.ASCII);
        var answer = await reader.ReadToEndAsync(cancellationToken);
        var status = answer.Split(' ')[1];
        var body = answer[(answer.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];
        return status != "200" ? status : body.Split("\r\n") is [_, var chunk, ..] ? chunk : body;
    }
}
