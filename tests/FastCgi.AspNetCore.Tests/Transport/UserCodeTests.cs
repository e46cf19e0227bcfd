using FastCgi.AspNetCore.Tests.Transport.Listening;
using FastCgi.AspNetCore.Transport.Contexts;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>
/// Loggers and callbacks of an application that fail or block, on the threads that serve all connections.
/// </summary>
public class UserCodeTests
{
    /// <summary>Guarded, as the server passes every logger on.</summary>
    private static readonly GuardedLogger s_logger = new(new ThrowingLoggers());

    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task Accepting_goes_on_and_the_stop_ends_though_callback_and_logger_throw(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind, logger: s_logger);
        using var listener = SocketListener.Bind(new ListenTarget(s_anyPort), s_logger);
        using var called = new SemaphoreSlim(0);
        listener.Start(harness.Transport, _ =>
        {
            called.Release();
            throw new InvalidOperationException("a metrics listener");
        });

        for (var i = 0; i < 3; i++)
        {
            using var peer = await ListenerTests.ConnectAsync(listener.LocalEndPoint);
            Assert.True(await called.WaitAsync(Deadline.Default), $"Connection {i + 1} was not accepted.");
        }

        await listener.StopAsync().Within("the stop");
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task A_stop_that_has_no_more_time_does_not_wait_for_a_callback_that_blocks(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = SocketListener.Bind(new ListenTarget(s_anyPort), s_logger);
        var goOn = new Latch();
        var entered = new TaskCompletionSource();
        listener.Start(harness.Transport, connection =>
        {
            entered.TrySetResult();
            goOn.Wait();
            connection.Close();
        });
        using var peer = await ListenerTests.ConnectAsync(listener.LocalEndPoint);
        await entered.Task.Within("the callback");

        try
        {
            await listener.StopAsync(new CancellationToken(canceled: true)).Within("the stop");
        }
        finally
        {
            goOn.Set();
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_handler_and_a_logger_that_throw_end_their_connection_and_no_other(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind, workers: 1, logger: s_logger);
        var (failing, failingPeer) = harness.Start(SocketKind.Unix, connection => new FailingHandler(connection));
        failingPeer.Send("x"u8);
        await failing.Gone;
        Assert.Equal(0, await failingPeer.ReceiveAsync(new byte[1]).Within("the end of the stream"));


        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new RecordingHandler(connection));
        peer.Send("served"u8);
        await handler.ReceivedAsync(6);
    }

    /// <summary>One thread serves them all.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task What_a_callback_leaves_on_its_thread_is_gone_in_the_next(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind, workers: 1);
        using var listener = SocketListener.Bind(new ListenTarget(s_anyPort), s_logger);
        LitteringHandler? accepted = null;
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        listener.Start(harness.Transport, connection =>
        {
            accepted = new LitteringHandler(connection);
            connection.Start(accepted);
            ThreadLitter.Leave();
            entered.SetResult();
        });
        using var client = await ListenerTests.ConnectAsync(listener.LocalEndPoint);
        await entered.Task.Within("the callback");
        client.Send("x"u8);
        await accepted!.ReceivedAsync(1);

        var (first, peer) = harness.Start(SocketKind.Unix, connection => new LitteringHandler(connection));
        peer.Send("x"u8);
        await first.ReceivedAsync(1);
        first.Connection.SendLater(new byte[1]);
        Assert.True(await first.SendCompletedAsync());
        peer.Close();
        await first.Gone;
        var (last, lastPeer) = harness.Start(SocketKind.Unix, connection => new LitteringHandler(connection));
        lastPeer.Send("x"u8);
        await last.ReceivedAsync(1);

        Assert.All([.. accepted.WasClean, .. first.WasClean, .. last.WasClean], Assert.True);
        client.Close();
        await accepted.Gone;
        await listener.StopAsync().Within("the stop");
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task What_a_callback_leaves_on_its_thread_is_gone_at_the_next_accept(TransportKind kind)
    {
        using var listener = SocketListener.Bind(new ListenTarget(s_anyPort), s_logger);
        await AssertCleanAtEachAcceptAsync(kind, listener);
    }

    [Fact]
    public async Task What_a_callback_leaves_on_its_thread_is_gone_at_the_next_accept_of_another_transport()
    {
        var factory = new SocketTransportFactory(
            Options.Create(new SocketTransportOptions()), NullLoggerFactory.Instance);
        using var listener = ContextListener.Bind(s_anyPort, [factory], s_logger, TimeProvider.System, default);
        await AssertCleanAtEachAcceptAsync(TransportKind.Sockets, listener);
    }

    /// <summary>The connections wait before the listener starts, so that one thread accepts them in a row.</summary>
    private static async Task AssertCleanAtEachAcceptAsync(TransportKind kind, EndpointListener listener)
    {
        const int Count = 4;
        await using var harness = new TransportHarness(kind, workers: 1);
        List<Socket> peers = [];
        for (var i = 0; i < Count; i++)
        {
            peers.Add(await ListenerTests.ConnectAsync(listener.LocalEndPoint));
        }

        var wasClean = new ConcurrentQueue<bool>();
        using var called = new SemaphoreSlim(0);
        listener.Start(harness.Transport, connection =>
        {
            wasClean.Enqueue(ThreadLitter.IsGone());
            ThreadLitter.Leave();
            connection.Close();
            called.Release();
        });
        for (var i = 0; i < Count; i++)
        {
            Assert.True(await called.WaitAsync(Deadline.Default), $"Connection {i + 1} was not accepted.");
        }

        Assert.All(wasClean, Assert.True);
        peers.ForEach(static peer => peer.Dispose());
        await listener.StopAsync().Within("the stop");
    }

    private sealed class LitteringHandler(TransportConnection connection) : RecordingHandler(connection)
    {
        public ConcurrentQueue<bool> WasClean { get; } = new();

        public override void OnReadable()
        {
            Look();
            base.OnReadable();
        }

        public override void OnSendCompleted(bool succeeded)
        {
            Look();
            base.OnSendCompleted(succeeded);
        }

        public override void OnPeerGone()
        {
            Look();
            base.OnPeerGone();
        }

        private void Look()
        {
            WasClean.Enqueue(ThreadLitter.IsGone());
            ThreadLitter.Leave();
        }
    }
}
