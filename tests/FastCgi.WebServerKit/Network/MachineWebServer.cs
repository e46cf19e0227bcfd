using System.Net;
using System.Net.Sockets;

namespace FastCgi.WebServerKit.Network;

/// <summary>
/// A web server on a machine of the network. Clients of this process reach it by a unix socket, since they are on no
/// machine of the network.
/// </summary>
internal sealed class MachineWebServer : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly IWebServerProgram _program;
    private readonly Func<string, string> _site;
    private readonly ChildProcess _process;

    private MachineWebServer(
        TestMachine machine, IWebServerProgram program, Func<string, string> site, Func<string, string>? change)
    {
        _program = program;
        _site = site;
        Write(change);
        _process = machine.Start(
            InstalledProgram.Find(program.Name),
            program.Arguments(_directory, ConfigurationFile),
            _directory.Path,
            program.Environment(_directory));
    }

    public ErrorLog ErrorLog => _process.Log;

    /// <summary>A file beside its configuration.</summary>
    public string File(string name) => _directory.File(name);

    private string Socket => _directory.File("web.sock");

    private string ConfigurationFile => _directory.File($"{_program.Name}.conf");

    /// <param name="machine">Where it runs.</param>
    /// <param name="program">Which web server.</param>
    /// <param name="site">The site's configuration; gets the path of the socket to listen on.</param>
    /// <param name="change">What the test changes in it at first.</param>
    public static async Task<MachineWebServer> StartAsync(
        TestMachine machine,
        IWebServerProgram program,
        Func<string, string> site,
        Func<string, string>? change = null)
    {
        var server = new MachineWebServer(machine, program, site, change);
        try
        {
            var started = server.ErrorLog.FirstAsync(line =>
                line.Contains(program.StartedMessage, StringComparison.Ordinal));
            await Task.WhenAny(started, server._process.Ended)
                .Within($"{program.Name}'s start", server.ErrorLog.ToString);
            Assert.True(started.IsCompleted, $"{program.Name} ended at its start: {server.ErrorLog}");
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// A client for ordinary requests. It makes a connection for each request: whether a client's own connection outlives
    /// a reload of the web server is not the question here.
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
            Timeout = TimeSpan.FromMinutes(1),
        };
        client.DefaultRequestHeaders.ConnectionClose = true;
        return client;
    }

    /// <summary>
    /// Lets nginx read another configuration. Completes when the worker of the old one has answered what it had, and is
    /// gone.
    /// </summary>
    /// <param name="change">What the test changes in the site's configuration; none gives it back.</param>
    public async Task ReloadNginxAsync(Func<string, string>? change = null)
    {
        var gone = Next("exited with code 0");
        Write(change);
        _process.HangUp();
        await gone.Within("the end of the old worker", ErrorLog.ToString, TimeSpan.FromMinutes(1));
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Dispose();
    }

    private void Write(Func<string, string>? change)
    {
        var site = _site(Socket);
        System.IO.File.WriteAllText(ConfigurationFile, _program.Configure(
            _directory, new IPEndPoint(IPAddress.None, 0), change is null ? site : change(site)));
    }

    /// <summary>A line that is not there yet.</summary>
    private Task<string> Next(string part)
    {
        var known = ErrorLog.Lines.Count(line => line.Contains(part, StringComparison.Ordinal));
        return ErrorLog.FirstAsync(line => line.Contains(part, StringComparison.Ordinal) && --known < 0);
    }
}
