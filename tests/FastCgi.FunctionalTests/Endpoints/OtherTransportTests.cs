using Microsoft.AspNetCore.Connections;

namespace FastCgi.FunctionalTests.Endpoints;

/// <summary>Endpoints of a transport that the application registers.</summary>
public sealed class OtherTransportTests : FunctionalTest
{
    [Fact]
    public async Task An_endpoint_that_no_transport_takes_keeps_the_server_from_starting()
    {
        var failure = await Assert.ThrowsAsync<IOException>(() => StartAsync(
            ServerTransport.SocketsOnTcp, EchoAsync, options => options.Listen(new DnsEndPoint("nowhere", 9000))));

        Assert.Contains("nowhere:9000", failure.Message, StringComparison.Ordinal);
        Assert.Contains("no transport takes a DnsEndPoint", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transport_that_cannot_bind_keeps_the_server_from_starting()
    {
        var failure = await Assert.ThrowsAsync<IOException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            options => options.Listen(new OtherEndPoint("/there/is/no/such/directory/s"))));

        Assert.Contains("unix:/there/is/no/such/directory/s", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transport_that_no_endpoint_needs_is_not_made()
    {
        var isMade = false;
        await StartAsync(ServerTransport.SocketsOnTcp, EchoAsync, configure: builder =>
            builder.Services.AddSingleton<IConnectionListenerFactory>(_ =>
            {
                isMade = true;
                return new OtherTransport();
            }));

        Assert.False(isMade);
    }

    [Fact]
    public async Task A_listener_that_others_can_reach_is_closed_again()
    {
        var transport = new OpenTransport();

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            configure: builder => builder.Services.AddSingleton<IConnectionListenerFactory>(transport)));

        Assert.Contains("can be reached from other machines", failure.Message, StringComparison.Ordinal);
        Assert.True(transport.IsClosed);
    }

    [Fact]
    public async Task A_list_of_clients_is_refused_where_clients_have_no_address()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            options => options.Listen(new OtherEndPoint("/x"), listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.1/32")))));

        Assert.Contains("AllowedClients has no effect", failure.Message, StringComparison.Ordinal);
    }

    /// <summary>Listens beyond loopback, whatever it is asked for.</summary>
    private sealed class OpenTransport : IConnectionListenerFactory, IConnectionListener
    {
        public bool IsClosed { get; private set; }

        public EndPoint EndPoint { get; } = new IPEndPoint(IPAddress.Any, 9000);

        public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
            ValueTask.FromResult<IConnectionListener>(this);

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask DisposeAsync()
        {
            IsClosed = true;
            return default;
        }
    }
}
