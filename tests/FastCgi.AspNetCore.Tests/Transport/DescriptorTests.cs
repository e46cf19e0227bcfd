namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Counts the descriptors of the process, so nothing else may run.</summary>
[CollectionDefinition(nameof(DescriptorTests), DisableParallelization = true)]
[Collection(nameof(DescriptorTests))]
public class DescriptorTests
{
    private const int Connections = 1_000;

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_thousand_connections_that_come_and_go_leave_no_descriptor_behind(
        TransportKind kind, SocketKind socket)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors are counted in /proc.");
        await ChurnAsync(kind, socket, 1);
        var before = CountDescriptors();

        await ChurnAsync(kind, socket, Connections);

        Assert.True(
            SpinWait.SpinUntil(() => CountDescriptors() <= before, Deadline.Default),
            $"{CountDescriptors()} descriptors are open, {before} were before.");
    }

    private static async Task ChurnAsync(TransportKind kind, SocketKind socket, int count)
    {
        await using var harness = new TransportHarness(kind);
        for (var i = 0; i < count; i++)
        {
            var (handler, peer) = harness.Start(socket, connection => new EchoHandler(connection));
            peer.Send("x"u8);
            await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo");
            if (i % 2 > 0)
            {
                handler.Connection.Close();
            }

            peer.Dispose();
        }
    }

    /// <summary>Sockets, epoll sets and eventfds; the runtime opens files of its own when it loads code.</summary>
    private static int CountDescriptors() =>
        Directory.GetFileSystemEntries("/proc/self/fd").Count(path =>
            new FileInfo(path).LinkTarget is { } target
            && (target.StartsWith("socket:", StringComparison.Ordinal)
                || target.StartsWith("anon_inode:", StringComparison.Ordinal)));
}
