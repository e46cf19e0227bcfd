namespace FastCgi.AspNetCore.Tests.Transport.Listening;

[SupportedOSPlatform("linux")]
public class ListenQueueTests
{
    private const uint Inode = 0x01020304;

    /// <summary>UNIX_DIAG_RQLEN.</summary>
    private const ushort Queue = 4;

    [Theory, InlineData(true), InlineData(false)]
    public void The_kernel_tells_how_many_connections_wait(bool isUnix)
    {
        var path = Path.Combine(Path.GetTempPath(), $"q{Guid.NewGuid():N}.sock");
        using var listener = isUnix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        var clients = new List<Socket>();
        try
        {
            listener.Bind(isUnix ? new UnixDomainSocketEndPoint(path) : new IPEndPoint(IPAddress.Loopback, 0));
            listener.Listen(17);
            Assert.Equal(new ListenQueue(0, 17), ListenQueue.Read(listener));

            for (var i = 0; i < 3; i++)
            {
                clients.Add(new Socket(listener.AddressFamily, SocketType.Stream, listener.ProtocolType));
                clients[i].Connect(listener.LocalEndPoint!);
            }

            Assert.Equal(new ListenQueue(3, 17), ListenQueue.Read(listener));
            listener.Accept().Dispose();
            Assert.Equal(new ListenQueue(2, 17), ListenQueue.Read(listener));
            listener.Dispose();
            Assert.Null(ListenQueue.Read(listener));
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
            File.Delete(path);
        }
    }

    /// <summary>struct unix_diag_req of linux/unix_diag.h behind struct nlmsghdr, as ss sends it for one inode.</summary>
    [Fact]
    public void The_request_is_the_one_of_the_kernels_header()
    {
        var request = new byte[40];
        request.AsSpan().Fill(0xFF);
        UnixSocketDiagnosis.Write(request, Inode, show: 0x10);

        Assert.Equal(
            "2800000014000100000000000000000001000000FFFFFFFF0403020110000000FFFFFFFFFFFFFFFF",
            Convert.ToHexString(request));
    }

    [Fact]
    public void The_answer_is_read_at_every_length_without_harm()
    {
        // As the kernel sent it: UNIX_DIAG_SHUTDOWN of one byte after the queue of 3 with room for 17.
        var answer = Convert.FromHexString(
            "3C000000140000000000000000000000010A000004030201010000000000000005000600000000000C000400030000001100000000");
        Assert.Equal((3, 17), UnixSocketDiagnosis.Read(answer, Inode, Queue));
        Assert.Null(UnixSocketDiagnosis.Read(answer, Inode + 1, Queue));
        Assert.Null(UnixSocketDiagnosis.Read(answer, Inode, attribute: 1));
        for (var length = 0; length < 52; length++)
        {
            Assert.Null(UnixSocketDiagnosis.Read(answer.AsSpan(0, length), Inode, Queue));
        }

        answer[32] = 3;
        Assert.Null(UnixSocketDiagnosis.Read(answer, Inode, Queue));
    }
}
