using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.FunctionalTests.Harness;

/// <summary>Kestrel and this server, with the same handler.</summary>
public sealed class BothServers : IAsyncDisposable
{
    private readonly WebApplication _kestrel;

    private BothServers(WebApplication kestrel, FunctionalServer fastCgi)
    {
        _kestrel = kestrel;
        FastCgi = fastCgi;
    }

    /// <summary>The address of Kestrel: a port of the loopback interface.</summary>
    public Uri Kestrel => new(_kestrel.Services.GetRequiredService<IServer>().Features
        .GetRequiredFeature<IServerAddressesFeature>().Addresses.Single());

    public FunctionalServer FastCgi { get; }

    public static async Task<BothServers> StartAsync(
        RequestDelegate handler, Action<FastCgiServerOptions>? options = null)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        var application = builder.Build();
        application.Run(handler);
        await application.StartAsync().Within("the start of Kestrel");
        return new BothServers(
            application, await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, handler, options));
    }

    public async ValueTask DisposeAsync()
    {
        await _kestrel.DisposeAsync();
        await FastCgi.DisposeAsync();
    }
}
