using FastCgi.Client;

namespace FastCgi.Gateway.Tests.Doors;

/// <summary>One application on FastCGI and on Kestrel, and endpoints that only one of them reaches.</summary>
public sealed class BesideKestrelTests : IAsyncDisposable
{
    private readonly LogRecorder _logs = new();
    private readonly HttpClient _http = new();
    private WebApplication? _application;
    private HttpClient? _fastCgi;

    private string Kestrel => _application!.Urls.Single(
        static address => address.StartsWith("http://", StringComparison.Ordinal));

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        _fastCgi?.Dispose();
        if (_application is not null)
        {
            await _application.DisposeAsync().AsTask().Within("the stop");
        }

        _logs.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task Both_servers_run_the_same_application_and_each_endpoint_has_its_door()
    {
        await StartAsync();

        Assert.Equal(("1", HttpStatusCode.OK), await AskFastCgiAsync("/count"));
        Assert.Equal(("2", HttpStatusCode.OK), await AskKestrelAsync("/count"));
        Assert.Equal(("alive", HttpStatusCode.OK), await AskKestrelAsync("/probe"));
        Assert.Equal(("", HttpStatusCode.NotFound), await AskFastCgiAsync("/probe"));
        Assert.Equal(("page", HttpStatusCode.OK), await AskFastCgiAsync("/page"));
        Assert.Equal(("", HttpStatusCode.NotFound), await AskKestrelAsync("/page"));
    }

    /// <summary>A guard by RequireHost would open here: the client sends the Host.</summary>
    [Fact]
    public async Task A_forged_host_does_not_reach_the_other_door()
    {
        await StartAsync();
        var kestrel = new Uri(Kestrel);

        Assert.Equal(("", HttpStatusCode.NotFound), await AskFastCgiAsync("/probe", host: kestrel.Authority));
    }

    [Fact]
    public async Task One_route_may_have_an_endpoint_for_each_door()
    {
        await StartAsync();

        Assert.Equal(("by FastCGI", HttpStatusCode.OK), await AskFastCgiAsync("/who"));
        Assert.Equal(("by Kestrel", HttpStatusCode.OK), await AskKestrelAsync("/who"));
    }

    [Fact]
    public async Task Endpoints_of_Kestrel_are_not_called_ignored_and_the_gateway_of_development_keeps_away()
    {
        await StartAsync(
            ["--urls", "fastcgi://127.0.0.1:0", "--Kestrel:Endpoints:Probe:Url", "http://127.0.0.1:0"],
            static builder => builder.WebHost.UseFastCgi().UseKestrelBesideFastCgi().UseFastCgiDevelopmentGateway());

        Assert.Equal(("by Kestrel", HttpStatusCode.OK), await AskKestrelAsync("/who"));
        Assert.DoesNotContain(_logs.Entries, static entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task A_door_without_two_servers_is_refused_instead_of_left_open()
    {
        var builder = CreateBuilder(["--urls", "fastcgi://127.0.0.1:0"]);
        builder.WebHost.UseFastCgi();
        _application = builder.Build();
        _application.MapGet("/probe", () => "alive").RequireKestrel();

        _logs.ExpectError(static entry => entry.Exception is InvalidOperationException);
        await _application.StartAsync().Within("the start");
        _fastCgi = new HttpClient(new FastCgiHandler(_application.Urls.Single())) { Timeout = Deadline.Default };

        Assert.Equal(HttpStatusCode.InternalServerError, (await AskFastCgiAsync("/probe")).Status);
        var entry = Assert.Single(_logs.Entries, static entry => entry.Level == LogLevel.Error);
        Assert.Contains("UseKestrelBesideFastCgi", entry.Exception?.Message, StringComparison.Ordinal);
    }

    public static TheoryData<string> Orders => ["BDF", "BFD", "DBF", "DFB", "FBD", "FDB", "FBB"];

    /// <summary>B: beside Kestrel, D: the development gateway, F: FastCGI.</summary>
    [Theory]
    [MemberData(nameof(Orders))]
    public async Task The_calls_may_have_any_order(string order)
    {
        await StartAsync(
            ["--urls", "http://127.0.0.1:0;fastcgi://127.0.0.1:0"],
            builder =>
            {
                foreach (char call in order)
                {
                    _ = call switch
                    {
                        'B' => builder.WebHost.UseKestrelBesideFastCgi(),
                        'D' => builder.WebHost.UseFastCgiDevelopmentGateway(),
                        _ => builder.WebHost.UseFastCgi(),
                    };
                }
            });

        Assert.Equal(("by Kestrel", HttpStatusCode.OK), await AskKestrelAsync("/who"));
        Assert.Equal(("by FastCGI", HttpStatusCode.OK), await AskFastCgiAsync("/who"));
        Assert.DoesNotContain(_logs.Entries, static entry => entry.Level >= LogLevel.Warning);
    }

    /// <summary>A web server would send requests to an application that has failed to start.</summary>
    [Fact]
    public async Task A_start_that_fails_by_Kestrel_leaves_no_FastCGI_endpoint()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        string socket = Path.Combine(Path.GetTempPath(), $"beside-{Guid.NewGuid():N}.sock");
        _logs.ExpectError(static entry => entry.Category == "Microsoft.Extensions.Hosting.Internal.Host");

        await Assert.ThrowsAsync<IOException>(
            () => StartAsync(["--urls", $"http://{other.LocalEndpoint};fastcgi://unix:{socket}"]));

        Assert.False(File.Exists(socket));
    }

    [Fact]
    public async Task Without_the_FastCGI_server_the_application_does_not_start()
    {
        var builder = CreateBuilder(["--urls", "http://127.0.0.1:0"]);
        builder.WebHost.UseKestrelBesideFastCgi();
        _application = builder.Build();
        _logs.ExpectError(static entry => entry.Exception is InvalidOperationException);

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => _application.StartAsync().Within("the start"));

        Assert.Contains("call UseFastCgi too", exception.Message, StringComparison.Ordinal);
    }

    private WebApplicationBuilder CreateBuilder(string[] arguments)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = arguments,
            EnvironmentName = "Development",
        });
        builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Debug);
        return builder;
    }

    private async Task StartAsync(string[]? arguments = null, Action<WebApplicationBuilder>? configure = null)
    {
        var builder = CreateBuilder(arguments ?? ["--urls", "http://127.0.0.1:0;fastcgi://127.0.0.1:0"]);
        (configure ?? (static builder => builder.WebHost.UseFastCgi().UseKestrelBesideFastCgi()))(builder);
        _application = builder.Build();
        var count = 0;
        _application.MapGet("/count", () => $"{Interlocked.Increment(ref count)}");
        _application.MapGet("/probe", () => "alive").RequireKestrel();
        _application.MapGet("/page", () => "page").RequireFastCgi();
        _application.MapGet("/who", () => "by FastCGI").RequireFastCgi();
        _application.MapGet("/who", () => "by Kestrel").RequireKestrel();
        await _application.StartAsync().Within("the start");
        _fastCgi = new HttpClient(new FastCgiHandler(_application.Urls.Single(
            static address => address.StartsWith("fastcgi://", StringComparison.Ordinal))))
        {
            Timeout = Deadline.Default,
        };
    }

    private Task<(string Body, HttpStatusCode Status)> AskFastCgiAsync(string target, string host = "site.example") =>
        AskAsync(_fastCgi!, new Uri($"http://{host}{target}"));

    private Task<(string Body, HttpStatusCode Status)> AskKestrelAsync(string target) =>
        AskAsync(_http, new Uri(Kestrel + target));

    private static async Task<(string Body, HttpStatusCode Status)> AskAsync(HttpClient client, Uri target)
    {
        using var response = await client.GetAsync(target).Within("the response");
        return (await response.Content.ReadAsStringAsync().Within("its body"), response.StatusCode);
    }
}
