namespace FastCgi.WebServerTests.Matrix;

/// <summary>
/// The application in this process, for the web servers that connect, once for each way in which it may learn where it
/// is mounted; and as a program for those that start it.
/// </summary>
internal sealed class MatrixApps : IAsyncDisposable
{
    private const int ApplicationError = 13;
    private const string CertificateParam = "SSL_CLIENT_CERT";

    private readonly ServedApp _app;
    private readonly ServedApp _byOption;
    private readonly ServedApp _byScriptName;
    private readonly StartedProgram _program;
    private readonly StartedProgram _programByScriptName;

    private MatrixApps(ServedApp app, ServedApp byOption, ServedApp byScriptName)
    {
        _app = app;
        _byOption = byOption;
        _byScriptName = byScriptName;
        _program = Program(byScriptName: false);
        _programByScriptName = Program(byScriptName: true);
    }

    /// <summary>For TLS between clients and all web servers.</summary>
    public TestAuthority Authority { get; } = new();

    public static async Task<MatrixApps> StartAsync() => new(
        await StartAsync(""),
        await StartAsync("/app"),
        await StartAsync("", byScriptName: true));

    public SampleReach Reach(MatrixReach reach, SampleMount mount)
    {
        var app = mount switch
        {
            SampleMount.PathAlone => _byOption,
            SampleMount.ScriptName => _byScriptName,
            _ => _app,
        };
        return reach switch
        {
            MatrixReach.Unix => new SampleReach(Socket: app.SocketPath),
            MatrixReach.Tcp => new SampleReach(Tcp: app.TcpEndPoint),
            MatrixReach.Scgi => new SampleReach(Socket: app.ScgiSocketPath),
            MatrixReach.ScgiTcp => new SampleReach(Tcp: app.ScgiTcpEndPoint),
            _ => new SampleReach(
                Program: mount == SampleMount.ScriptName ? _programByScriptName : _program,
                PathBase: mount == SampleMount.PathAlone ? "/app" : null),
        };
    }

    /// <summary>The application is about to fail, which it logs where it runs.</summary>
    public void ExpectError(MatrixReach reach)
    {
        if (reach != MatrixReach.Started)
        {
            _app.Log.ExpectError(ApplicationError);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _program.Dispose();
        _programByScriptName.Dispose();
        Authority.Dispose();
        await _byOption.DisposeAsync();
        await _byScriptName.DisposeAsync();

        // The last, since it may have something to complain of.
        await _app.DisposeAsync();
    }

    private static Task<ServedApp> StartAsync(string pathBase, bool byScriptName = false) =>
        ServedApp.StartOnUnixAndTcpAsync(
            MatrixApplication.Configure,
            builder => builder.WebHost.ConfigureFastCgi(options =>
            {
                options.ClientCertificateParameter = CertificateParam;
                options.PathBase = pathBase;
                options.PathBaseFromScriptName = byScriptName;
            }));

    private static StartedProgram Program(bool byScriptName) => new(
        typeof(MatrixApplication).Assembly.Location,
        new Dictionary<string, string>
        {
            ["FastCgi__ClientCertificateParameter"] = CertificateParam,
            ["FastCgi__PathBaseFromScriptName"] = $"{byScriptName}",
        });
}
