using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport;
using FastCgi.TestKit;
using Microsoft.Extensions.Logging;

namespace FastCgi.AspNetCore.Tests.Transport;

public class ListenerTests
{
    private readonly LogRecorder _log = new();

    private ILogger Logger => _log.CreateLogger("listener");

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task Port_0_is_resolved_and_connections_are_accepted_without_delay(string address)
    {
        var target = new ListenTarget(new IPEndPoint(IPAddress.Parse(address), 0));
        using var listener = EndpointListener.Bind(target, Logger);
        var accepted = Start(listener);
        Assert.NotEqual(0, ((IPEndPoint)listener.LocalEndPoint).Port);

        using var peer = await ConnectAsync(listener.LocalEndPoint);
        using var socket = await accepted.ReadAsync().AsTask().Within("the accepted socket");

        Assert.True(socket.NoDelay);
        await listener.StopAsync().Within("the stop");
        _log.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task Any_address_of_IPv6_takes_IPv4_too()
    {
        using var listener = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.IPv6Any, 0)), Logger);
        var accepted = Start(listener);

        using var peer = await ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)listener.LocalEndPoint).Port));
        using var socket = await accepted.ReadAsync().AsTask().Within("the accepted socket");

        Assert.True(((IPEndPoint)socket.RemoteEndPoint!).Address.IsIPv4MappedToIPv6);
    }

    [Fact]
    public void A_taken_port_is_named_and_the_cause_kept()
    {
        using var first = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.Loopback, 0)), Logger);

        var failure = Assert.Throws<IOException>(
            () => EndpointListener.Bind(new ListenTarget(first.LocalEndPoint), Logger));

        Assert.Equal($"Failed to bind to address {first.LocalEndPoint}: address already in use.", failure.Message);
        var cause = Assert.IsType<SocketException>(failure.InnerException);
        Assert.Equal(SocketError.AddressAlreadyInUse, cause.SocketErrorCode);
    }

    [Fact]
    public async Task Nobody_gets_through_after_the_stop()
    {
        using var listener = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.Loopback, 0)), Logger);
        var accepted = Start(listener);
        using var peer = await ConnectAsync(listener.LocalEndPoint);
        using var socket = await accepted.ReadAsync().AsTask().Within("the accepted socket");

        await Task.WhenAll(listener.StopAsync(), listener.StopAsync()).Within("both stops");

        var refused = await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(listener.LocalEndPoint));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        Assert.False(accepted.TryRead(out _));
    }

    [Fact]
    public async Task A_listener_that_was_never_started_stops()
    {
        using var listener = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.Loopback, 0)), Logger);

        await listener.StopAsync().Within("the stop");
        await listener.StopAsync().Within("the second stop");

        await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(listener.LocalEndPoint));
    }

    [Fact]
    public async Task A_socket_that_cannot_be_taken_on_is_closed_and_the_next_one_accepted()
    {
        using var listener = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.Loopback, 0)), Logger);
        _log.ExpectError(LogEvents.AcceptFailed);
        var accepted = Channel.CreateUnbounded<Socket>();
        var failures = 1;
        listener.Start(socket =>
        {
            if (failures-- > 0)
            {
                throw new InvalidOperationException("The connection set fails.");
            }

            accepted.Writer.TryWrite(socket);
        });

        using var first = await ConnectAsync(listener.LocalEndPoint);
        Assert.Equal(0, await first.ReceiveAsync(new byte[1]).Within("the end of the stream"));
        using var second = await ConnectAsync(listener.LocalEndPoint);
        using var socket = await accepted.Reader.ReadAsync().AsTask().Within("the second socket");

        await listener.StopAsync().Within("the stop");
        _log.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task Accepted_connections_carry_nothing_of_the_starter_s_execution_context()
    {
        var ambient = new AsyncLocal<string?> { Value = "of the starter" };
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var listener = EndpointListener.Bind(new ListenTarget(new IPEndPoint(IPAddress.Loopback, 0)), Logger);
        listener.Start(socket =>
        {
            socket.Dispose();
            seen.TrySetResult(ambient.Value);
        });

        using var peer = await ConnectAsync(listener.LocalEndPoint);

        Assert.Null(await seen.Task.Within("the accepted socket"));
    }

    [Fact]
    public async Task Pauses_between_failed_accepts_double_up_to_a_second_and_are_logged_once_a_burst()
    {
        var clock = new ManualTimeProvider();
        var backoff = new AcceptBackoff(clock);
        Assert.True(backoff.BeginsBurst);
        foreach (var expected in new[] { 100, 200, 400, 800, 1000, 1000 })
        {
            var waiting = backoff.WaitAsync(CancellationToken.None);
            clock.Advance(TimeSpan.FromMilliseconds(expected - 1));
            Assert.False(waiting.IsCompleted);
            clock.Advance(TimeSpan.FromMilliseconds(1));
            await waiting.Within("the end of the pause");
            Assert.False(backoff.BeginsBurst);
        }

        Assert.True(backoff.Reset());
        Assert.False(backoff.Reset());
        Assert.True(backoff.BeginsBurst);
        var again = backoff.WaitAsync(CancellationToken.None);
        clock.Advance(TimeSpan.FromMilliseconds(100));
        await again.Within("the end of the first pause of the next burst");
    }

    [Fact]
    public async Task A_stop_ends_the_pause()
    {
        using var stopping = new CancellationTokenSource();
        var waiting = new AcceptBackoff(new ManualTimeProvider()).WaitAsync(stopping.Token);

        await stopping.CancelAsync();

        await waiting.Within("the end of the pause");
    }

    internal static ChannelReader<Socket> Start(EndpointListener listener)
    {
        var accepted = Channel.CreateUnbounded<Socket>();
        listener.Start(socket => accepted.Writer.TryWrite(socket));
        return accepted.Reader;
    }

    internal static async Task<Socket> ConnectAsync(EndPoint endPoint)
    {
        var protocol = endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified;
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        try
        {
            await socket.ConnectAsync(endPoint).Within("the connect");
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
