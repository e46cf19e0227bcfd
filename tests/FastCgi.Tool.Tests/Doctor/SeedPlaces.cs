using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// What the sites of the seeds lead to: the application, an HTTP server, and a port that drops requests.
/// </summary>
public sealed class SeedPlaces : IAsyncLifetime
{
    private readonly WebApplication _http = CreateHttp();
    private readonly TcpListener _dropper = new(IPAddress.Loopback, 0);
    private readonly WorkDirectory _directory = new();
    private ServedApp? _app;

    public SeedPlaces()
    {
        Settings = _directory.File("appsettings.json");
        File.WriteAllText(Settings, """{ "FastCgi": { "Limits": { "MaxRequestBodySize": 1000000 } } }""");
        UnlimitedSettings = _directory.File("unlimited.json");
        File.WriteAllText(UnlimitedSettings, """{ "FastCgi": { "Limits": { "MaxRequestBodySize": null } } }""");
    }

    /// <summary>Settings of an application that takes 1,000,000 bytes.</summary>
    public string Settings { get; }

    /// <summary>Settings of an application that takes a body of any length.</summary>
    public string UnlimitedSettings { get; }

    public async ValueTask InitializeAsync()
    {
        _dropper.Start();
        _ = DropAsync(_dropper);
        await _http.StartAsync().Within("the start of Kestrel");
        _app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
    }

    internal string Fill(string template, IPEndPoint listen, WorkDirectory directory) => template
        .Replace("SOCKET", _app!.SocketPath, StringComparison.Ordinal)
        .Replace("LISTEN", listen.ToString(), StringComparison.Ordinal)
        .Replace("DIRECTORY", directory.Path, StringComparison.Ordinal)
        .Replace("DROPPER", _dropper.LocalEndpoint.ToString(), StringComparison.Ordinal)
        .Replace("TCPADDRESS", _app.TcpEndPoint.ToString(), StringComparison.Ordinal)
        .Replace("HTTPPORT", new Uri(_http.Urls.Single()).Authority, StringComparison.Ordinal);

    public async ValueTask DisposeAsync()
    {
        _dropper.Dispose();
        if (_app is not null)
        {
            await _app.DisposeAsync();
        }

        await _http.DisposeAsync();
        _directory.Dispose();
    }

    private static WebApplication CreateHttp()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        return builder.Build();
    }

    /// <summary>Takes each request, and closes without an answer.</summary>
    private static async Task DropAsync(TcpListener listener)
    {
        try
        {
            while (true)
            {
                using var socket = await listener.AcceptSocketAsync();
                await socket.ReceiveAsync(new byte[65536]);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
        }
    }
}
