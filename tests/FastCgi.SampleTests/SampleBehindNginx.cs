using System.Net;
using System.Text.RegularExpressions;

namespace FastCgi.SampleTests;

/// <summary>A sample on a unix socket, and an nginx configured by the file that lies beside it.</summary>
internal sealed partial class SampleBehindNginx : IAsyncDisposable
{
    private readonly WorkDirectory _directory;
    private readonly Func<Task<SampleProcess>> _start;
    private readonly WebServer _nginx;
    private SampleProcess _sample;

    private SampleBehindNginx(
        WorkDirectory directory, Func<Task<SampleProcess>> start, SampleProcess sample, WebServer nginx)
    {
        _directory = directory;
        _start = start;
        _sample = sample;
        _nginx = nginx;
        Client = TestClient.Create(nginx.EndPoint);
    }

    public IPEndPoint EndPoint => _nginx.EndPoint;

    public HttpClient Client { get; }

    /// <summary>What the sample printed since it was started last.</summary>
    public ErrorLog Log => _sample.Log;

    /// <param name="name">Of the sample.</param>
    /// <param name="nginxFile">In the sample's folder.</param>
    /// <param name="scheme">What the sample speaks on its socket.</param>
    /// <param name="arguments">The program's, without its address.</param>
    public static async Task<SampleBehindNginx> StartAsync(
        string name, string nginxFile = "nginx.conf", string scheme = "fastcgi", params string[] arguments)
    {
        var directory = new WorkDirectory();
        var socket = directory.File("app.sock");
        var site = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "samples", name, nginxFile));
        Task<SampleProcess> StartSampleAsync() =>
            SampleProcess.StartAsync(name, [.. arguments, "--urls", $"{scheme}://unix:{socket}"]);

        try
        {
            var sample = await StartSampleAsync();
            try
            {
                var nginx = await NginxServer.StartAsync(endPoint => Site(site, socket, endPoint));
                return new SampleBehindNginx(directory, StartSampleAsync, sample, nginx);
            }
            catch
            {
                await sample.DisposeAsync();
                throw;
            }
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(EndPoint);

    /// <summary>Ends the sample as a service manager does; nginx goes on.</summary>
    /// <returns>The exit code.</returns>
    public Task<int> StopSampleAsync() => _sample.StopAsync();

    /// <summary>Starts the sample that was stopped, on the same socket.</summary>
    public async Task StartSampleAgainAsync()
    {
        await _sample.DisposeAsync();
        _sample = await _start();
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _nginx.DisposeAsync();
        await _sample.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>What an administrator changes in the file, and nothing else.</summary>
    private static string Site(string text, string socket, IPEndPoint endPoint)
    {
        text = Server().Replace(text, $"server unix:{socket};", 1);
        text = Listen().Replace(text, $"listen {endPoint};", 1);
        return Parameters().Replace(text, "include /etc/nginx/$1;", 1);
    }

    [GeneratedRegex("(?<=^ +)server (?:unix:|127)[^;\n]*;", RegexOptions.Multiline)]
    private static partial Regex Server();

    [GeneratedRegex("(?<=^ +)listen [^;\n]*;", RegexOptions.Multiline)]
    private static partial Regex Listen();

    [GeneratedRegex("(?<=^ +)include ((?:fastcgi|scgi)_params);", RegexOptions.Multiline)]
    private static partial Regex Parameters();
}
