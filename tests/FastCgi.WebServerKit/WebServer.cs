using FastCgi.WebServerKit.Network;

namespace FastCgi.WebServerKit;

/// <summary>
/// A web server as an ordinary process with a directory of its own, on a free port of 127.0.0.1 or on a machine of the
/// test network.
/// </summary>
internal sealed class WebServer : IAsyncDisposable
{
    private const int MaxStarts = 10;

    private readonly WorkDirectory _directory = new();
    private readonly WebServerProgram _program;
    private readonly IPEndPoint? _address;
    private ChildProcess? _process;

    private WebServer(WebServerProgram program, IPEndPoint? address) => (_program, _address) = (program, address);

    public IPEndPoint EndPoint => _address!;

    /// <summary>Its own file, in its own directory.</summary>
    public string ConfigurationFile => File($"{_program.Name}.conf");

    /// <summary>The error log, and whatever else the web server prints.</summary>
    public ErrorLog ErrorLog => _process!.Log;

    private string Socket => File("web.sock");

    /// <param name="site">What the test adds to its configuration; gets the address to listen on.</param>
    public static async Task<WebServer> StartAsync(WebServerProgram program, Func<IPEndPoint, string> site)
    {
        for (var start = 1; ; start++)
        {
            var address = new IPEndPoint(IPAddress.Loopback, FreePort.Take());
            var server = new WebServer(program, address);
            if (await server.IsStartedAsync(() => site(address), ChildProcess.Start))
            {
                return server;
            }

            // Somebody took the port in the meantime.
            await server.DisposeAsync();
            Assert.True(start < MaxStarts, $"{program.Name} found no free port in {MaxStarts} starts.");
        }
    }

    /// <summary>
    /// On a machine. Clients of this process are on no machine of the network, so they reach it by a unix socket:
    /// <see cref="CreateClient"/>.
    /// </summary>
    /// <param name="site">What the test adds to its configuration; gets the path of the socket to listen on.</param>
    public static async Task<WebServer> StartAsync(
        TestMachine machine, WebServerProgram program, Func<string, string> site)
    {
        var server = new WebServer(program, address: null);
        Assert.True(await server.IsStartedAsync(() => site(server.Socket), machine.Start), "A socket is no port.");
        return server;
    }

    /// <summary>A file beside its configuration.</summary>
    public string File(string name) => _directory.File(name);

    /// <summary>
    /// A client for ordinary requests to a web server on a machine. It makes a connection for each request: whether a
    /// client's own connection outlives a reload of the web server is not the question here.
    /// </summary>
    public HttpClient CreateClient(bool keepsCookies = false)
    {
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = keepsCookies,
            UseProxy = false,
            ConnectCallback = (_, token) => TestDialer.ConnectAsync(new UnixDomainSocketEndPoint(Socket), token),
        };
        var client = new HttpClient(handler)
        {
            BaseAddress = new Uri("http://localhost/"),
            Timeout = Deadline.Of(TimeSpan.FromMinutes(1)),
        };
        client.DefaultRequestHeaders.ConnectionClose = true;
        return client;
    }

    /// <summary>
    /// Lets nginx on a machine read another configuration. Completes when the worker of the old one has answered what it
    /// had, and is gone.
    /// </summary>
    public async Task ReloadNginxAsync(Func<string, string> site)
    {
        const string Gone = "exited with code 0";
        var known = ErrorLog.Lines.Count(static line => line.Contains(Gone, StringComparison.Ordinal));
        var gone = ErrorLog.FirstAsync(line => line.Contains(Gone, StringComparison.Ordinal) && --known < 0);
        Write(site(Socket));
        _process!.HangUp();
        await gone.Within("the end of the old worker", ErrorLog.ToString, TimeSpan.FromMinutes(1));
    }

    /// <summary>Holds the worker of nginx still until the result is disposed.</summary>
    public IDisposable HoldNginxWorker()
    {
        const string Started = "start worker process ";
        var line = ErrorLog.Lines.Last(static line => line.Contains(Started, StringComparison.Ordinal));
        var id = line[(line.LastIndexOf(' ') + 1)..];
        return ChildProcess.Hold(int.Parse(id, CultureInfo.InvariantCulture));
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }

        _directory.Dispose();
    }

    private void Write(string site) => System.IO.File.WriteAllText(
        ConfigurationFile, _program.Configure(_directory, _address ?? new IPEndPoint(IPAddress.None, 0), site));

    /// <summary>False when its port is taken. Another failure to start fails the test.</summary>
    private async Task<bool> IsStartedAsync(Func<string> site, StartProcess start)
    {
        try
        {
            var path = InstalledProgram.Find(_program.Name);
            Write(site());
            _process = start(
                path,
                _program.Arguments(_directory, ConfigurationFile),
                _directory.Path,
                _program.Environment?.Invoke(_directory));
            return await IsListeningAsync();
        }
        catch
        {
            await DisposeAsync();
            throw;
        }
    }

    private async Task<bool> IsListeningAsync()
    {
        var taken = ErrorLog.FirstAsync(static line =>
            line.Contains("Address already in use", StringComparison.OrdinalIgnoreCase));
        var started = ErrorLog.FirstAsync(line => line.Contains(_program.StartedMessage, StringComparison.Ordinal));
        await Task.WhenAny(taken, started, _process!.Ended).Within($"{_program.Name}'s start", ErrorLog.ToString);
        if (taken.IsCompleted)
        {
            return false;
        }

        Assert.True(started.IsCompleted, $"{_program.Name} ended at its start: {ErrorLog}");
        if (_address is not null)
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await probe.ConnectAsync(_address).Within($"a connection to {_program.Name}", ErrorLog.ToString);
        }

        return true;
    }

    private delegate ChildProcess StartProcess(
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null);
}
