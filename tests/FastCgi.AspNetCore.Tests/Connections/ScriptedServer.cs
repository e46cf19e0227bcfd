namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>A server without sockets, on a clock that a test moves: each transport does what the test says.</summary>
internal sealed class ScriptedServer : IDisposable
{
    public ScriptedServer() => Loggers = LoggerFactory.Create(
        logging => logging.SetMinimumLevel(LogLevel.Trace).AddProvider(Logs));

    public FastCgiServerOptions Options { get; } = new();

    public ManualTimeProvider Time { get; } = new();

    public LogRecorder Logs { get; } = new();

    public ILoggerFactory Loggers { get; init; }

    public BufferPool Buffers { get; set; } = BufferPool.Shared;

    public ServerMetrics? Metrics { get; set; }

    public RequestDelegate Application { get; set; } = static context => context.Response.WriteAsync("hello");

    /// <summary>Made when it is asked for, as are the connections: the options count from then on.</summary>
    public ServerContext Context =>
        field ??= new ServerContext(Options, Loggers, Time) { Buffers = Buffers, Metrics = Metrics };

    public ConnectionSet Connections => field ??= new ConnectionSet(
        Context, new ApplicationRunner<HttpContext>(new DelegateApplication(Application)));

    public FastCgiRequest NewRequest() => new(Context, new ApplicationRunner<HttpContext>(DelegateApplication.Hello));

    public ScriptedTransport Accept(ScriptedTransport? transport = null, bool allowsUpgrade = false)
    {
        transport ??= new ScriptedTransport();
        Connections.OnAccepted(
            transport, new FastCgiListenOptions(new IPEndPoint(IPAddress.Loopback, 0)) { AllowUpgrade = allowsUpgrade });
        return transport;
    }

    public void Pass(double seconds) => Time.Advance(TimeSpan.FromSeconds(seconds));

    public void Dispose()
    {
        Connections.Dispose();
        Loggers.Dispose();
        Logs.AssertNoUnexpectedErrors();
    }
}
