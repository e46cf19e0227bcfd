namespace FastCgi.AspNetCore.Tests.Transport.Listening;

public class InheritedSocketsTests
{
    [Fact]
    public async Task A_listening_descriptor_is_served()
    {
        var handle = Descriptor(listens: true, out var address);
        Assert.Equal(address, InheritedSockets.ReadAddress(handle));

        using var listener = SocketListener.Bind(new ListenTarget(handle), NullLogger.Instance);
        Assert.Equal(address, listener.LocalEndPoint);
        await ListenerTests.AcceptOneAsync(listener);

        await listener.StopAsync().Within("the stop");
        await Assert.ThrowsAsync<SocketException>(() => ListenerTests.ConnectAsync(address));
    }

    /// <summary>To listen once more would replace the Backlog= of the unit.</summary>
    [Fact]
    public void The_queue_stays_as_long_as_it_was()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux tells how long a queue is.");
        var handle = Descriptor(listens: true, out _, backlog: 100);

        using var listener = SocketListener.Bind(new ListenTarget(handle), NullLogger.Instance);

        Assert.Equal(100, listener.ReadQueue()?.Length);
    }

    [Fact]
    public void A_descriptor_that_does_not_listen_is_refused()
    {
        var handle = Descriptor(listens: false, out _);
        Assert.Null(InheritedSockets.ReadAddress(handle));

        var failure = Assert.Throws<IOException>(
            () => SocketListener.Bind(new ListenTarget(handle), NullLogger.Instance));

        Assert.Contains($"descriptor {handle}", failure.Message, StringComparison.Ordinal);
        Assert.Contains("does not listen", failure.Message, StringComparison.Ordinal);
        new SafeSocketHandle((nint)handle, ownsHandle: true).Dispose();
    }

    [Fact]
    public void A_descriptor_that_is_no_socket_is_refused()
    {
        using var file = File.OpenHandle(typeof(InheritedSocketsTests).Assembly.Location);
        var handle = (ulong)file.DangerousGetHandle();

        Assert.Null(InheritedSockets.ReadAddress(handle));
        Assert.Null(InheritedSockets.ReadAddress(ulong.MaxValue));
        Assert.Throws<IOException>(() => SocketListener.Bind(new ListenTarget(handle), NullLogger.Instance));
    }

    [Theory]
    [InlineData("77", "2", new ulong[] { 3, 4 })]
    [InlineData("77", "0", new ulong[0])]
    [InlineData("78", "2", new ulong[0])]
    [InlineData(null, "2", new ulong[0])]
    [InlineData("77", null, new ulong[0])]
    [InlineData("77", "-1", new ulong[0])]
    [InlineData("77", "many", new ulong[0])]
    [InlineData("77", "99999999999", new ulong[0])]
    [InlineData("4194303", "1", new ulong[] { 3 }, 4194303)]
    public void Systemd_s_descriptors_begin_at_3_and_are_for_the_process_that_is_named(
        string? listenPid, string? listenFds, ulong[] expected, int processId = 77) =>
        Assert.Equal(expected, InheritedSockets.FromSystemd(listenPid, listenFds, processId));

    /// <summary>A bare descriptor, as another process would leave it to us.</summary>
    private static ulong Descriptor(bool listens, out EndPoint address, int backlog = 10) =>
        PassedSocket.Create(new IPEndPoint(IPAddress.Loopback, 0), out address, listens ? backlog : null);
}
