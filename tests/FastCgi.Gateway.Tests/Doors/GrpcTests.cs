using FastCgi.Client;
using FastCgi.GrpcApp;
using Grpc.Net.Client;

namespace FastCgi.Gateway.Tests.Doors;

/// <summary>
/// docs/websockets.md, as it stands: pages by FastCGI, gRPC and a probe by Kestrel, one process behind one nginx.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed partial class GrpcTests : IAsyncLifetime
{
    private const string Settings = "jsonc";

    private static readonly string s_page = File.ReadAllText(Path.Combine(Repository.Root, "docs/websockets.md"));
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory = new();
    private readonly int _probePort = FreePort.Take();
    private readonly int _grpcPort = FreePort.Take();
    private readonly int _pagePort = FreePort.Take();
    private ChildProcess? _app;
    private WebServer? _nginx;

    private string SocketPath => _directory.File("app.sock");

    public async ValueTask InitializeAsync()
    {
        await File.WriteAllTextAsync(_directory.File("appsettings.json"), Block(Settings, "Kestrel")
            .Replace("/run/app/app.sock", SocketPath, StringComparison.Ordinal)
            .Replace(":8080", $":{_probePort}", StringComparison.Ordinal)
            .Replace(":8081", $":{_grpcPort}", StringComparison.Ordinal));
        _app = ChildProcess.Start("dotnet", [Repository.BuiltTestProgram("FastCgi.GrpcApp")], _directory.Path);
        await _app.WaitForStartAsync("the documented program", s_startDeadline);
        _nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}} http2;
                listen 127.0.0.1:{{_pagePort}};
            {{Block("nginx", "grpc_pass")
                .Replace("include ", "include /etc/nginx/", StringComparison.Ordinal)
                .Replace("/run/app/app.sock", SocketPath, StringComparison.Ordinal)
                .Replace(":8081", $":{_grpcPort}", StringComparison.Ordinal)}}
            }
            """);
    }

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_nginx, _app);
        _directory.Dispose();
    }

    [Fact]
    public void The_page_shows_the_program() =>
        Assert.Equal(
            File.ReadAllText(Path.Combine(Repository.Root, "tests/FastCgi.GrpcApp/Program.cs"))
                .Replace("using FastCgi.GrpcApp;\n\n", "", StringComparison.Ordinal),
            Block("cs", "AddGrpc"));

    [Fact]
    public async Task A_client_calls_by_gRPC_through_nginx_and_directly()
    {
        foreach (var address in (string[])[$"http://{_nginx!.EndPoint}", $"http://127.0.0.1:{_grpcPort}"])
        {
            using var channel = GrpcChannel.ForAddress(address);
            var client = new Greeter.GreeterClient(channel);

            var reply = await client.SayHelloAsync(new HelloRequest { Name = "Ann" }).ResponseAsync.Within("the reply");
            List<string> counted = [];
            using var call = client.CountDown(new HelloRequest());
            while (await call.ResponseStream.MoveNext(CancellationToken.None).Within("the next reply"))
            {
                counted.Add(call.ResponseStream.Current.Message);
            }

            Assert.Equal("Hello Ann", reply.Message);
            Assert.Equal(["3", "2", "1"], counted);
        }
    }

    [Fact]
    public async Task Each_endpoint_has_its_door_whatever_Host_a_client_sends()
    {
        using var client = new HttpClient { Timeout = Deadline.Default };
        var site = $"127.0.0.1:{_pagePort}";

        Assert.Equal((HttpStatusCode.OK, $"You asked for / on {site}."), await AskAsync(client, site, "/"));
        Assert.Equal((HttpStatusCode.OK, "alive"), await AskAsync(client, $"127.0.0.1:{_probePort}", "/probe"));
        Assert.Equal(HttpStatusCode.NotFound, (await AskAsync(client, $"127.0.0.1:{_probePort}", "/")).Status);
        foreach (var forged in (string[])[site, $"127.0.0.1:{_probePort}", $"localhost:{_probePort}", "127.0.0.1"])
        {
            Assert.Equal(HttpStatusCode.NotFound, (await AskAsync(client, site, "/probe", forged)).Status);
        }
    }

    [Fact]
    public async Task A_call_by_FastCGI_is_refused_as_unimplemented()
    {
        using var client = new HttpClient(new FastCgiHandler($"fastcgi://unix:{SocketPath}"))
        {
            Timeout = Deadline.Default,
        };
        using var call = new HttpRequestMessage(HttpMethod.Post, "http://site.example/greet.Greeter/SayHello")
        {
            Content = new ByteArrayContent(new byte[5]) { Headers = { { "Content-Type", "application/grpc" } } },
        };

        using var response = await client.SendAsync(call).Within("the refusal");

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Equal("12", Assert.Single(response.Headers.GetValues("grpc-status")));
    }

    private static async Task<(HttpStatusCode Status, string Body)> AskAsync(
        HttpClient client, string address, string path, string? host = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://{address}{path}");
        request.Headers.Host = host;
        using var response = await client.SendAsync(request).Within("the response");
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }

    /// <summary>The block of the page in a language that has this text in it.</summary>
    private static string Block(string language, string text) => Assert.Single(
        Fence().Matches(s_page).Where(match => match.Groups[1].Value == language).Select(
            static match => match.Groups[2].Value),
        block => block.Contains(text, StringComparison.Ordinal));

    [GeneratedRegex("^```([a-z]+)\n(.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();
}
