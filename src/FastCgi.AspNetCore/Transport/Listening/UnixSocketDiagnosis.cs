namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>
/// Queries the kernel about a unix socket by netlink, as <c>ss</c> does (sock_diag(7)). The system may forbid it: a
/// unit with RestrictAddressFamilies must list AF_NETLINK.
/// </summary>
/// <remarks>
/// <code>
/// request:  | nlmsghdr 16 | family, protocol, pad 4 | states 4 | inode 4 | show 4 | cookie 8 |
/// answer:   | nlmsghdr 16 | family, type, state, pad 4 | inode 4 | cookie 8 | attributes ... |
/// attribute:| length 2 | type 2 | content, padded to 4 |
/// file:     | inode 4, its low bits | device 4 |
/// queue:    | waiting 4 | length 4 |
/// </code>
/// </remarks>
[SupportedOSPlatform("linux")]
internal static partial class UnixSocketDiagnosis
{
    private const int NetlinkFamily = 16;
    private const int RawSocket = 3;
    private const int CloseOnExec = 0x80000;
    private const int SockDiagProtocol = 4;
    private const int HeaderSize = 16;
    private const int RequestSize = HeaderSize + 24;
    private const int AnswerSize = HeaderSize + 16;
    private const ushort SockDiagByFamily = 20;
    private const ushort IsRequest = 1;
    private const byte UnixFamily = 1;
    private const uint AnyState = uint.MaxValue;

    /// <summary>Matches any socket with the inode.</summary>
    private const ulong NoCookie = ulong.MaxValue;

    private const uint ShowFile = 0x2;
    private const uint ShowQueue = 0x10;
    private const ushort FileAttribute = 1;
    private const ushort QueueAttribute = 4;

    public static ListenQueue? ReadQueue(Socket listening) =>
        Ask(listening, ShowQueue, QueueAttribute) is var (waiting, length)
            ? new ListenQueue(waiting, length)
            : null;

    /// <summary>The low bits of the inode that a socket is bound to; null if the system does not report it.</summary>
    public static uint? ReadFileInode(Socket bound) =>
        Ask(bound, ShowFile, FileAttribute) is var (inode, _) ? (uint)inode : null;

    private static (int First, int Second)? Ask(Socket socket, uint show, ushort attribute)
    {
        if (SocketFileStatus.TryRead(socket.SafeHandle) is not { Inode: var number })
        {
            return null;
        }

        uint inode = (uint)number;
        int descriptor = OpenSocket(NetlinkFamily, RawSocket | CloseOnExec, SockDiagProtocol);
        if (descriptor < 0)
        {
            return null;
        }

        using var netlink = new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)) { Blocking = false };
        Span<byte> request = stackalloc byte[RequestSize];
        Write(request, inode, show);
        Span<byte> answer = stackalloc byte[1024];

        // The kernel answers during the send, so the receive never waits.
        int received = netlink.Send(request, SocketFlags.None, out _) == RequestSize
            ? netlink.Receive(answer, SocketFlags.None, out _)
            : 0;
        return Read(answer[..Math.Max(received, 0)], inode, attribute);
    }

    /// <summary>Writes a request for an attribute of one socket.</summary>
    internal static void Write(Span<byte> request, uint inode, uint show)
    {
        request.Clear();
        BitConverter.TryWriteBytes(request, RequestSize);
        BitConverter.TryWriteBytes(request[4..], SockDiagByFamily);
        BitConverter.TryWriteBytes(request[6..], IsRequest);
        request[HeaderSize] = UnixFamily;
        BitConverter.TryWriteBytes(request[(HeaderSize + 4)..], AnyState);
        BitConverter.TryWriteBytes(request[(HeaderSize + 8)..], inode);
        BitConverter.TryWriteBytes(request[(HeaderSize + 12)..], show);
        BitConverter.TryWriteBytes(request[(HeaderSize + 16)..], NoCookie);
    }

    /// <summary>The two numbers of the attribute in an answer; null for an error or another socket.</summary>
    internal static (int First, int Second)? Read(ReadOnlySpan<byte> answer, uint inode, ushort attribute)
    {
        if (answer.Length < AnswerSize
            || MemoryMarshal.Read<ushort>(answer[4..]) != SockDiagByFamily
            || MemoryMarshal.Read<uint>(answer[(HeaderSize + 4)..]) != inode)
        {
            return null;
        }

        ReadOnlySpan<byte> rest = answer[AnswerSize..];
        while (rest.Length >= 4)
        {
            int length = MemoryMarshal.Read<ushort>(rest);
            if (length < 4 || length > rest.Length)
            {
                return null;
            }

            if (MemoryMarshal.Read<ushort>(rest[2..]) == attribute && length >= 12)
            {
                return (MemoryMarshal.Read<int>(rest[4..]), MemoryMarshal.Read<int>(rest[8..]));
            }

            rest = rest[Math.Min(rest.Length, (length + 3) & ~3)..];
        }

        return null;
    }

    [LibraryImport("libc", EntryPoint = "socket")]
    private static partial int OpenSocket(int family, int type, int protocol);
}
