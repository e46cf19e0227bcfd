using FastCgi.FunctionalTests.Scgi;

namespace FastCgi.FunctionalTests.Upgrades;

/// <summary>A test of a request that takes its connection over: a head with status 101, then bytes both ways.</summary>
public abstract class UpgradeTest : ScgiTest
{
    protected const string HeadOfUpgrade = "Status: 101 Switching Protocols\r\nUpgrade: mine\r\nConnection: Upgrade\r\n\r\n";

    protected static readonly RequestScript UpgradeRequest = Get() with
    {
        Headers = [("Connection", "keep-alive, Upgrade"), ("Upgrade", "mine")],
    };

    protected static bool? IsUpgradable(HttpContext context) =>
        context.Features.Get<IHttpUpgradeFeature>()?.IsUpgradableRequest;

    protected static Task<Stream> UpgradeAsync(HttpContext context)
    {
        if (!context.Response.HasStarted)
        {
            context.Response.Headers.Upgrade = "mine";
        }

        return context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
    }

    /// <summary>An SCGI connection that has been upgraded.</summary>
    protected async Task<ScgiPeer> StartUpgradedAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null)
    {
        await StartScgiAsync(transport, application, options, clock);
        return await ConnectUpgradedAsync();
    }

    protected async Task<ScgiPeer> ConnectUpgradedAsync()
    {
        var peer = await ConnectScgiAsync();
        await peer.SendAsync(UpgradeRequest);
        await peer.ExpectTextAsync(HeadOfUpgrade);
        return peer;
    }

    protected static async Task UpgradeAndEchoAsync(HttpContext context)
    {
        await EchoAsync(await UpgradeAsync(context));
    }

    /// <summary>Until a full stop, or the end of what comes.</summary>
    protected static async Task EchoAsync(Stream stream)
    {
        var buffer = new byte[100];
        int count;
        do
        {
            count = await stream.ReadAsync(buffer);
            await stream.WriteAsync(buffer.AsMemory(0, count));
        }
        while (count > 0 && buffer[count - 1] != '.');
    }
}
