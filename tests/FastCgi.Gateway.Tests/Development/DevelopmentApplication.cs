using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>
/// An application in the environment Development with the gateway, by default at <c>http://127.0.0.1:0</c>. Its end
/// asserts that nothing is left and that no error was logged that the test had not announced.
/// </summary>
internal sealed partial class DevelopmentApplication : IAsyncDisposable
{
    private readonly WebApplication _application;

    private DevelopmentApplication(WebApplication application, LogRecorder logs)
    {
        _application = application;
        Logs = logs;
    }

    public LogRecorder Logs { get; }

    public ICollection<string> Urls => _application.Urls;

    public IServiceProvider Services => _application.Services;

    /// <summary>The directory of the gateway's own sockets.</summary>
    public string Directory => Path.GetDirectoryName(PrivateSocket().Match(
        Logs.Entries.First(static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted).Message).Groups[1].Value)!;

    /// <summary>Calls <c>UseFastCgi</c> and <c>UseFastCgiDevelopmentGateway</c>, and starts.</summary>
    public static Task<DevelopmentApplication> StartAsync(RequestDelegate handler, params string[] arguments) =>
        StartAsync(app => app.Run(handler), null, arguments);

    /// <param name="build">Runs after both calls.</param>
    /// <param name="arguments">Of the command line; <c>--no-urls</c> and <c>--production</c> are for this class.</param>
    public static async Task<DevelopmentApplication> StartAsync(
        Action<WebApplication> configure, Action<WebApplicationBuilder>? build, params string[] arguments)
    {
        var application = Create(configure, build, arguments);
        await application.StartAsync();
        return application;
    }

    public static DevelopmentApplication Create(
        Action<WebApplication> configure, Action<WebApplicationBuilder>? build, params string[] arguments)
    {
        if (!Array.Exists(arguments, static argument => argument is "--urls" or "--no-urls"))
        {
            arguments = [.. arguments, "--urls", "http://127.0.0.1:0"];
        }

        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = [.. arguments.Except(["--no-urls", "--production"])],
            EnvironmentName = arguments.Contains("--production") ? Environments.Production : Environments.Development,
        });
        var logs = new LogRecorder();
        builder.Logging.ClearProviders().AddProvider(logs).SetMinimumLevel(LogLevel.Debug);
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = Deadline.Default);
        builder.WebHost.UseFastCgi();
        builder.WebHost.UseFastCgiDevelopmentGateway();
        build?.Invoke(builder);
        var application = builder.Build();
        configure(application);
        return new DevelopmentApplication(application, logs);
    }

    public Task StartAsync() => _application.StartAsync().Within("the start of the application", Said);

    public Task StopAsync() => _application.StopAsync().Within("the stop of the application", Said);

    /// <summary>A client of the only address with this scheme; no certificate is wrong for it.</summary>
    public HttpClient CreateClient(string scheme = "http") =>
        new(new HttpClientHandler
        {
            AllowAutoRedirect = false,
            ServerCertificateCustomValidationCallback = static (_, _, _, _) => true,
        })
        {
            BaseAddress = AddressOf(scheme),
            Timeout = Deadline.Default,
        };

    public Uri AddressOf(string scheme) =>
        new(Assert.Single(Urls, url => url.StartsWith($"{scheme}://", StringComparison.Ordinal)));

    public async ValueTask DisposeAsync()
    {
        var directory = Logs.Entries.Any(static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted)
            ? Directory
            : null;
        await _application.DisposeAsync().AsTask().Within("the end of the application", Said);
        Logs.AssertNoUnexpectedErrors();
        Assert.False(System.IO.Directory.Exists(directory), $"{directory} is left.");
    }

    private string Said() => string.Join(Environment.NewLine, Logs.Entries);

    [GeneratedRegex("unix:([^ ]+)")]
    private static partial Regex PrivateSocket();
}
