using System.Security.Cryptography.X509Certificates;

namespace FastCgi.WebServerTests.Identity;

/// <summary>The machines' application and a web server with TLS in front of it.</summary>
internal sealed class MachinesSite : IAsyncDisposable
{
    private readonly Site _site;
    private readonly List<HttpClient> _clients = [];

    private MachinesSite(TestAuthority authority, Site site)
    {
        Authority = authority;
        _site = site;
    }

    public TestAuthority Authority { get; }

    public ServedApp App => _site.App;

    public static async Task<MachinesSite> StartAsync(Func<ServedApp, TestAuthority, Task<WebServer>> start)
    {
        var authority = new TestAuthority();
        try
        {
            return new MachinesSite(authority, await Site.StartAsync(
                app => start(app, authority), MachinesApp.Configure, builder => MachinesApp.Build(builder, authority)));
        }
        catch
        {
            authority.Dispose();
            throw;
        }
    }

    /// <summary>A client with connections of its own.</summary>
    /// <param name="certificate">Null for none.</param>
    public HttpClient CreateClient(X509Certificate2? certificate = null)
    {
        var client = Authority.CreateClient(_site.WebServer.EndPoint, certificate);
        _clients.Add(client);
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        _clients.ForEach(static client => client.Dispose());
        await _site.DisposeAsync();
        Authority.Dispose();
    }
}
