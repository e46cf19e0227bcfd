using Microsoft.AspNetCore.Builder;

namespace FastCgi.FunctionalTests.Scgi;

/// <summary>A test of the whole server on an SCGI endpoint.</summary>
public abstract class ScgiTest : FunctionalTest
{
    protected Task StartScgiAsync(RequestDelegate application, Action<FastCgiServerOptions>? options = null) =>
        StartAsync(application, options, configure: Scgi);

    protected Task StartScgiAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null) =>
        StartAsync(transport, application, options, clock, Scgi);

    protected async Task<ScgiPeer> ConnectScgiAsync() => EndsWithTest(await ScgiPeer.ConnectAsync(Server.EndPoint));

    /// <summary>A server and a connection.</summary>
    protected Task<ScgiPeer> StartAndConnectScgiAsync(
        RequestDelegate application, Action<FastCgiServerOptions>? options = null, TimeProvider? clock = null) =>
        StartAndConnectScgiAsync(Transports.Usual, application, options, clock);

    /// <inheritdoc cref="StartAndConnectScgiAsync(RequestDelegate, Action{FastCgiServerOptions}?, TimeProvider?)"/>
    protected async Task<ScgiPeer> StartAndConnectScgiAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null)
    {
        await StartScgiAsync(transport, application, options, clock);
        return await ConnectScgiAsync();
    }

    /// <summary>Whatever became of that connection, a new one is served.</summary>
    protected async Task AssertServesAnotherAsync()
    {
        var response = await (await ConnectScgiAsync()).RoundTripAsync(Get());
        Assert.Equal(200, response.StatusCode);
    }

    /// <summary>The server closes without more: by TCP, that is a reset.</summary>
    protected static Task ExpectBrokenOffAsync(ScgiPeer peer, ServerTransport transport) =>
        transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix
            ? peer.ExpectEndOfStreamAsync()
            : peer.ExpectResetAsync();

    private static void Scgi(WebApplicationBuilder builder) =>
        builder.Configuration["FastCgi:EndpointDefaults:Protocol"] = "Scgi";
}
