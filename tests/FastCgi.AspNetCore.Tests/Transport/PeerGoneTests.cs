namespace FastCgi.AspNetCore.Tests.Transport;

public class PeerGoneTests
{
    [Theory, ClassData(typeof(Transports))]
    public async Task An_end_of_stream_on_TCP_is_a_peer_that_is_gone(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(SocketKind.Tcp, connection => new RecordingHandler(connection));

        peer.Shutdown(SocketShutdown.Send);

        await handler.Gone;
        Assert.False(handler.EndOfInputWasRead);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_reset_is_a_peer_that_is_gone(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new RecordingHandler(connection));

        // What the peer has not read makes a unix socket's close a reset.
        Assert.Equal(3, handler.Connection.Send("abc"u8));
        peer.CloseByReset();

        await handler.Gone;
        Assert.True(handler.Connection.IsPeerGone());
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task A_half_close_on_a_unix_socket_ends_the_input_only_and_the_answer_is_sent(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new RecordingHandler(connection));

        peer.Send("request"u8);
        peer.Shutdown(SocketShutdown.Send);
        await handler.EndOfInput;
        Assert.Equal("request", handler.Text);
        Assert.False(handler.Connection.IsPeerGone());

        Assert.Equal(6, handler.Connection.Send("answer"u8));
        var answer = await EchoTests.ReceiveExactlyAsync(peer, 6).Within("the answer");
        Assert.Equal("answer"u8, answer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Last_bytes_and_end_that_came_together_are_both_read(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (connection, peer) = harness.Connect(SocketKind.Unix);
        peer.Send("last"u8);
        peer.Shutdown(SocketShutdown.Send);
        var handler = new RecordingHandler(connection);

        TransportHarness.Start(connection, handler);

        await handler.EndOfInput;
        Assert.Equal("last", handler.Text);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_close_after_a_half_close_on_a_unix_socket_is_found_by_asking(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new RecordingHandler(connection));
        peer.Shutdown(SocketShutdown.Send);
        await handler.EndOfInput;
        handler.Connection.PauseReading();

        peer.Dispose();

        AssertFoundGone(handler.Connection);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_peer_that_leaves_during_a_pause_is_found_by_asking(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new PausedHandler(connection));
        peer.Send("a"u8);
        await handler.ReceivedAsync(1);
        Assert.False(handler.Connection.IsPeerGone());

        peer.CloseByReset();

        AssertFoundGone(handler.Connection);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_end_of_stream_on_TCP_during_a_pause_is_found_by_asking(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(SocketKind.Tcp, connection => new PausedHandler(connection));
        peer.Send("a"u8);
        await handler.ReceivedAsync(1);

        peer.Shutdown(SocketShutdown.Send);

        AssertFoundGone(handler.Connection);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_peer_that_is_read_to_the_end_is_there_until_all_is_read(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new PausedHandler(connection));
        handler.Connection.ReadToEnd();
        peer.Send("a"u8);
        await handler.Paused;

        peer.Send("last"u8);
        peer.Dispose();
        Assert.False(handler.Connection.IsPeerGone());

        handler.Connection.ResumeReading();
        await handler.ReceivedAsync(5);
        Assert.Equal("alast", handler.Text);
        AssertFoundGone(handler.Connection);
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task Ending_our_direction_does_not_make_the_peer_gone(TransportKind kind)
    {
        foreach (var socket in Enum.GetValues<SocketKind>())
        {
            await using var harness = new TransportHarness(kind);
            var (handler, peer) = harness.Start(socket, connection => new RecordingHandler(connection));

            handler.Connection.ShutdownSend();
            Assert.Equal(0, await peer.ReceiveAsync(new byte[1]).Within("the end of the stream"));
            Assert.False(handler.Connection.IsPeerGone());

            peer.Send("still here"u8);
            await handler.ReceivedAsync(10);
        }
    }

    /// <summary>Why our own transports are there: Kestrel's has no half-closed connections.</summary>
    [Fact]
    public async Task Kestrels_sockets_take_a_half_close_for_a_peer_that_is_gone()
    {
        await using var harness = new TransportHarness(TransportKind.Contexts);
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new RecordingHandler(connection));

        peer.Send("request"u8);
        peer.Shutdown(SocketShutdown.Send);

        await handler.Gone;
        AssertFoundGone(handler.Connection);
    }

    /// <summary>The kernel tells at once, a thread of the transport soon: asked as the heartbeat does.</summary>
    private static void AssertFoundGone(TransportConnection connection) =>
        Assert.True(SpinWait.SpinUntil(connection.IsPeerGone, Deadline.Default), "The peer still counts as there.");

    private sealed class PausedHandler(TransportConnection connection) : RecordingHandler(connection)
    {
        private readonly TaskCompletionSource _paused = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Paused => _paused.Task.Within("the pause");

        protected override bool OnReceived(ReadOnlySpan<byte> data)
        {
            if (_paused.Task.IsCompleted)
            {
                return true;
            }

            Connection.PauseReading();
            _paused.SetResult();
            return false;
        }
    }
}
