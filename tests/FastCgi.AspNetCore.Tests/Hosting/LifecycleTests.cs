using System.Net.NetworkInformation;

namespace FastCgi.AspNetCore.Tests.Hosting;

public class LifecycleTests
{
    [Fact]
    public async Task The_constructor_binds_nothing()
    {
        var port = FreePort.Take();
        await using var server = new ServerUnderTest(options => options.Listen(IPAddress.Loopback, port));

        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, port));

        Assert.Empty(server.Addresses.Addresses);
    }

    [Fact]
    public async Task A_taken_address_is_an_IOException_that_names_it_and_undoes_what_was_bound_before()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        other.Listen();
        var taken = ((IPEndPoint)other.LocalEndPoint!).Port;
        var free = FreePort.Take();
        await using var server = new ServerUnderTest(options =>
        {
            options.Listen(IPAddress.Loopback, free);
            options.Listen(IPAddress.Loopback, taken);
        });

        var exception = await Assert.ThrowsAsync<IOException>(() => server.StartAsync());

        Assert.Equal($"Failed to bind to address 127.0.0.1:{taken}: address already in use.", exception.Message);
        var cause = Assert.IsType<SocketException>(exception.InnerException);
        Assert.Equal(SocketError.AddressAlreadyInUse, cause.SocketErrorCode);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, free));
    }

    [Fact]
    public async Task While_bound_the_addresses_cannot_be_changed()
    {
        await using var server = new ServerUnderTest();
        server.Addresses.Addresses.Add("http://localhost:5000");
        await server.StartAsync();

        Assert.Throws<InvalidOperationException>(() => server.Addresses.Addresses.Add("127.0.0.1:9000"));
        Assert.Throws<InvalidOperationException>(server.Addresses.Addresses.Clear);
        Assert.Throws<InvalidOperationException>(
            () => server.Addresses.Addresses.Remove(server.Addresses.Addresses.First()));

        await server.Server.StopAsync(CancellationToken.None).Within("the stop");
        server.Addresses.Addresses.Clear();
    }

    [Fact]
    public async Task When_the_time_for_the_stop_is_over_requests_are_aborted()
    {
        await using var server = new ServerUnderTest();
        await using var peer = await server.StartAndEnterAsync(
            static context => Task.Delay(Timeout.Infinite, context.RequestAborted));

        using var timeout = new CancellationTokenSource();
        var stop = server.Server.StopAsync(timeout.Token);
        Assert.False(stop.IsCompleted);
        await timeout.CancelAsync();

        await stop.Within("the stop");
        await peer.ExpectClosedAsync();
        await server.Logs.WaitForAsync(LogEvents.NotAllConnectionsClosedGracefully);
        Assert.DoesNotContain(server.Logs.Entries, entry => entry.EventId.Id == LogEvents.NotAllConnectionsAborted);
    }

    [Fact]
    public async Task An_application_that_ignores_the_abort_does_not_keep_the_stop()
    {
        var leave = new TaskCompletionSource();
        await using var server = new ServerUnderTest();
        await using var peer = await server.StartAndEnterAsync(_ => leave.Task);

        await server.Server.DisposeAsync().AsTask().Within("the end of the server");

        await server.Logs.WaitForAsync(LogEvents.NotAllConnectionsAborted);
        leave.SetResult();
    }

    [Fact]
    public async Task Localhost_is_bound_on_the_loopback_addresses_that_there_are()
    {
        var port = FreePort.Take();
        await using var server = await ServerUnderTest.StartNewAsync(options => options.ListenLocalhost(port));

        var hasIPv6 = NetworkInterface.GetAllNetworkInterfaces()
            .SelectMany(static one => one.GetIPProperties().UnicastAddresses)
            .Any(static one => one.Address.Equals(IPAddress.IPv6Loopback));
        string[] expected = [$"fastcgi://127.0.0.1:{port}", $"fastcgi://[::1]:{port}"];
        Assert.Equal(expected[..(hasIPv6 ? 2 : 1)], server.Addresses.Addresses);
    }
}
