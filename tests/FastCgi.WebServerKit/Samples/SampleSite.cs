using System.Net;

namespace FastCgi.WebServerKit.Samples;

/// <summary>A web server with its documented configuration, on two free ports of 127.0.0.1.</summary>
internal sealed class SampleSite : IAsyncDisposable
{
    private readonly WebServer _webServer;

    private SampleSite(WebServer webServer, IPEndPoint encrypted)
    {
        _webServer = webServer;
        Encrypted = encrypted;
    }

    public IPEndPoint Plain => _webServer.EndPoint;

    /// <summary>Where it speaks TLS.</summary>
    public IPEndPoint Encrypted { get; }

    public ErrorLog ErrorLog => _webServer.ErrorLog;

    public static async Task<SampleSite> StartAsync(
        WebServerSample sample, TestAuthority authority, SampleReach reach, SampleMount mount = SampleMount.Root)
    {
        var encrypted = new IPEndPoint(IPAddress.Loopback, 0);
        var webServer = await WebServer.StartAsync(sample.Program, plain =>
        {
            encrypted.Port = FreePort.Take();
            return sample.Write(new SampleListening(plain, encrypted, authority), reach, mount);
        });
        return new SampleSite(webServer, encrypted);
    }

    public ValueTask DisposeAsync() => _webServer.DisposeAsync();
}
