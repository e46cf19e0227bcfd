using System.Net;
using System.Net.Sockets;

namespace FastCgi.WebServerKit;

/// <summary>
/// One of Debian's web servers as an ordinary process with a directory of its own, on a free port of 127.0.0.1.
/// Needs no root.
/// </summary>
internal sealed class WebServer : IAsyncDisposable
{
    private const int MaxStarts = 10;

    private readonly ChildProcess _process;
    private readonly WorkDirectory _directory;

    private WebServer(ChildProcess process, WorkDirectory directory, string file, int port)
    {
        _process = process;
        _directory = directory;
        ConfigurationFile = file;
        EndPoint = new IPEndPoint(IPAddress.Loopback, port);
    }

    public IPEndPoint EndPoint { get; }

    /// <summary>Its own file, in its own directory.</summary>
    public string ConfigurationFile { get; }

    /// <summary>The error log, and whatever else the web server prints.</summary>
    public ErrorLog ErrorLog => _process.Log;

    /// <param name="program">Which web server.</param>
    /// <param name="site">What the test adds to its configuration; gets the address to listen on.</param>
    public static async Task<WebServer> StartAsync(IWebServerProgram program, Func<IPEndPoint, string> site)
    {
        var path = InstalledProgram.Find(program.Name);
        for (var start = 1; ; start++)
        {
            if (await TryStartAsync(program, path, FreePort.Take(), site) is { } server)
            {
                return server;
            }

            Assert.True(start < MaxStarts, $"{program.Name} found no free port in {MaxStarts} starts.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Dispose();
    }

    /// <returns>Null when somebody took the port in the meantime.</returns>
    private static async Task<WebServer?> TryStartAsync(
        IWebServerProgram program, string path, int port, Func<IPEndPoint, string> site)
    {
        var directory = new WorkDirectory();
        var endPoint = new IPEndPoint(IPAddress.Loopback, port);
        var file = directory.File($"{program.Name}.conf");
        try
        {
            await File.WriteAllTextAsync(file, program.Configure(directory, endPoint, site(endPoint)));
        }
        catch
        {
            // A configuration that cannot be made, or a module that is missing.
            directory.Dispose();
            throw;
        }

        var process = ChildProcess.Start(
            path, program.Arguments(directory, file), directory.Path, program.Environment(directory));
        var server = new WebServer(process, directory, file, port);
        try
        {
            if (await server.IsListeningAsync(program))
            {
                return server;
            }
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }

        await server.DisposeAsync();
        return null;
    }

    private async Task<bool> IsListeningAsync(IWebServerProgram program)
    {
        var taken = ErrorLog.FirstAsync(line =>
            line.Contains("Address already in use", StringComparison.OrdinalIgnoreCase));
        var started = ErrorLog.FirstAsync(line => line.Contains(program.StartedMessage, StringComparison.Ordinal));
        await Task.WhenAny(taken, started, _process.Ended).Within($"{program.Name}'s start", ErrorLog.ToString);
        if (taken.IsCompleted)
        {
            return false;
        }

        Assert.True(started.IsCompleted, $"{program.Name} ended at its start: {ErrorLog}");
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await probe.ConnectAsync(EndPoint).Within($"a connection to {program.Name}", ErrorLog.ToString);
        return true;
    }
}
