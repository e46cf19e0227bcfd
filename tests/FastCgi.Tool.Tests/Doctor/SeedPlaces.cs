using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// What the sites of the seeds lead to: the application, an HTTP server, and a port that drops requests.
/// </summary>
internal sealed class SeedPlaces : IAsyncDisposable
{
    private readonly ServedApp _app;
    private readonly WebApplication _http;
    private readonly TcpListener _dropper;
    private readonly WorkDirectory _directory = new();

    private SeedPlaces(ServedApp app, WebApplication http, TcpListener dropper)
    {
        _app = app;
        _http = http;
        _dropper = dropper;
        Settings = _directory.File("appsettings.json");
        File.WriteAllText(Settings, """{ "FastCgi": { "Limits": { "MaxRequestBodySize": 1000000 } } }""");
        UnlimitedSettings = _directory.File("unlimited.json");
        File.WriteAllText(UnlimitedSettings, """{ "FastCgi": { "Limits": { "MaxRequestBodySize": null } } }""");
        _ = DropAsync(dropper);
    }

    /// <summary>Settings of an application that takes 1,000,000 bytes.</summary>
    public string Settings { get; }

    /// <summary>Settings of an application that takes a body of any length.</summary>
    public string UnlimitedSettings { get; }

    public static async Task<SeedPlaces> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var http = builder.Build();
        await http.StartAsync().Within("the start of Kestrel");
        var dropper = new TcpListener(IPAddress.Loopback, 0);
        dropper.Start();
        var app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
        return new SeedPlaces(app, http, dropper);
    }

    public string Fill(string template, IPEndPoint listen, WorkDirectory directory) => template
        .Replace("SOCKET", _app.SocketPath, StringComparison.Ordinal)
        .Replace("LISTEN", listen.ToString(), StringComparison.Ordinal)
        .Replace("DIRECTORY", directory.Path, StringComparison.Ordinal)
        .Replace("DROPPER", _dropper.LocalEndpoint.ToString(), StringComparison.Ordinal)
        .Replace("TCPADDRESS", _app.TcpEndPoint.ToString(), StringComparison.Ordinal)
        .Replace("HTTPPORT", new Uri(_http.Urls.Single()).Authority, StringComparison.Ordinal);

    public async ValueTask DisposeAsync()
    {
        _dropper.Dispose();
        await _app.DisposeAsync();
        await _http.DisposeAsync();
        _directory.Dispose();
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
