using System.Net;
using System.Net.Sockets;

namespace FastCgi.WebServerTests.Harness;

/// <summary>
/// Debian's nginx as an ordinary process with a directory of its own, on a free port of 127.0.0.1. Needs no root;
/// where it is root, its worker stays root, since nobody else can enter the directory.
/// </summary>
internal sealed class NginxServer : IAsyncDisposable
{
    private const int MaxStarts = 10;

    private readonly ChildProcess _process;
    private readonly WorkDirectory _directory;

    private NginxServer(ChildProcess process, WorkDirectory directory, int port)
    {
        _process = process;
        _directory = directory;
        EndPoint = new IPEndPoint(IPAddress.Loopback, port);
    }

    public IPEndPoint EndPoint { get; }

    /// <summary>nginx's error log, from level notice on.</summary>
    public ErrorLog ErrorLog => _process.Log;

    /// <param name="site">What stands inside <c>http { }</c>; gets the address to listen on.</param>
    public static async Task<NginxServer> StartAsync(Func<IPEndPoint, string> site)
    {
        var program = InstalledProgram.Find("nginx");
        for (var start = 1; ; start++)
        {
            if (await TryStartAsync(program, FreePort(), site) is { } server)
            {
                return server;
            }

            Assert.True(start < MaxStarts, $"nginx found no free port in {MaxStarts} starts.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Dispose();
    }

    /// <returns>Null when somebody took the port in the meantime.</returns>
    private static async Task<NginxServer?> TryStartAsync(string program, int port, Func<IPEndPoint, string> site)
    {
        var directory = new WorkDirectory();
        var endPoint = new IPEndPoint(IPAddress.Loopback, port);
        await File.WriteAllTextAsync(
            directory.File("nginx.conf"), NginxConfiguration.Write(directory.Path, site(endPoint)));

        string[] arguments = ["-e", "stderr", "-p", directory.Path, "-c", directory.File("nginx.conf")];
        var process = ChildProcess.Start(program, arguments, directory.Path);
        var server = new NginxServer(process, directory, port);
        try
        {
            if (await server.IsListeningAsync())
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

    /// <summary>nginx starts its worker once every address is bound, so a taken port shows before that.</summary>
    private async Task<bool> IsListeningAsync()
    {
        var taken = ErrorLog.FirstAsync(line => line.Contains("Address already in use", StringComparison.Ordinal));
        var started = ErrorLog.FirstAsync(line => line.Contains("start worker process ", StringComparison.Ordinal));
        await Task.WhenAny(taken, started, _process.Ended).Within("nginx's start", ErrorLog.ToString);
        if (taken.IsCompleted)
        {
            return false;
        }

        Assert.True(started.IsCompleted, $"nginx ended at its start: {ErrorLog}");
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await probe.ConnectAsync(EndPoint).Within("a connection to nginx", ErrorLog.ToString);
        return true;
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }
}
