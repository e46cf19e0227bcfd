using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.SignalR.Client;

namespace FastCgi.SampleTests.Hubs;

/// <summary>
/// Connects SignalR's .NET client by WebSockets alone and without negotiation, as the sample's page does.
/// </summary>
/// <param name="open">Makes the WebSocket; again whenever the client reconnects.</param>
internal sealed class WebSocketConnectionFactory(Func<CancellationToken, Task<WebSocket>> open) : IConnectionFactory
{
    /// <param name="retries">When to try again after a connection was lost; null for never.</param>
    public HubConnection CreateClient(IRetryPolicy? retries = null)
    {
        var builder = new HubConnectionBuilder();
        builder.Services.AddSingleton<IConnectionFactory>(this);
        // The client wants to know where to; only the factory uses it.
        builder.Services.AddSingleton<EndPoint>(new UriEndPoint(new Uri("ws://localhost/hub")));
        return (retries is null ? builder : builder.WithAutomaticReconnect(retries)).Build();
    }

    public async ValueTask<ConnectionContext> ConnectAsync(
        EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new WebSocketConnection(await open(cancellationToken));
}
