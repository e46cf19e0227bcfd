using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// A connected stream socket, by its descriptor. Every call returns at once and holds a reference to the handle: a
/// close on another thread waits for it, so no call reaches the next owner of the descriptor. A call on a closed socket
/// fails as on a lost one. A <see cref="Socket"/> object would cost more than a whole short connection.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe partial class SocketDescriptor : SafeHandle
{
    /// <summary>
    /// Limit of the bytes of a large response that wait in a unix socket for its reader: two records of the largest
    /// size, and the system's overhead. The system would accept twice as much. Then the bytes would leave the
    /// processor's cache before the reader copies them. The end of the buffer would also cut a record, whose rest needs
    /// a copy and another wake-up.
    /// </summary>
    public const int UnixSendWindow = 128 * 1024;

    private const int Peek = 2;
    private const int NoSignal = 0x4000;
    private const int MoreFollows = 0x8000;
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x80000;
    private const int DuplicateCloseOnExec = 1030;
    private const int ShutdownWrite = 1;
    private const int SocketLevel = 1;
    private const int LingerOption = 13;
    private const int SendBufferOption = 7;

    // TIOCOUTQ. A system where it has another number refuses this one.
    private const int OutputQueue = 0x5411;

    // The size of the first socket's send buffer, the system's default for all sockets. 0 until it is known.
    private static int s_sendBufferSize;

    private SocketDescriptor(int descriptor)
        : base(-1, ownsHandle: true) => SetHandle(descriptor);

    public override bool IsInvalid => handle == -1;

    public int Descriptor => (int)handle;

    /// <summary>Accepts a connection without blocking; null if there is none, with the error number.</summary>
    public static SocketDescriptor? TryAccept(SafeSocketHandle listener, out int error)
    {
        try
        {
            int accepted = Accept(listener, null, null, NonBlocking | CloseOnExec);
            error = accepted < 0 ? Marshal.GetLastPInvokeError() : 0;
            return accepted < 0 ? null : new SocketDescriptor(accepted);
        }
        catch (ObjectDisposedException)
        {
            // The listener was closed by a stop that ran out of time.
            error = ErrorNumber.WouldBlock;
            return null;
        }
    }

    /// <summary>Creates a second handle of this socket, for <see cref="Socket"/>.</summary>
    /// <exception cref="ObjectDisposedException">This socket is closed.</exception>
    public SafeSocketHandle Duplicate()
    {
        int copy = Control(this, DuplicateCloseOnExec, 0);
        return copy >= 0
            ? new SafeSocketHandle(copy, ownsHandle: true)
            : throw new SocketException(Marshal.GetLastPInvokeError());
    }

    /// <summary>The number of bytes received, 0 at the end, or a value of <see cref="TransportConnection"/>.</summary>
    public int Receive(Span<byte> buffer) => Receive(buffer, 0);

    /// <summary>True if a receive would return bytes now.</summary>
    public bool HasUnread()
    {
        Span<byte> next = stackalloc byte[1];
        return Receive(next, Peek) > 0;
    }

    /// <summary>
    /// True if a large send should wait until this unix socket is writable. Linux reports that when at most a quarter
    /// of its buffer is unread. False if that quarter is more than <see cref="UnixSendWindow"/>.
    /// </summary>
    public bool IsUnixWindowFull() => Try(
        static socket =>
        {
            if (InputOutputControl(socket, OutputQueue, out int unread) < 0 || unread < UnixSendWindow)
            {
                return false;
            }

            int length = sizeof(int);
            if (s_sendBufferSize == 0
                && GetOption(socket, SocketLevel, SendBufferOption, out int size, ref length) == 0)
            {
                s_sendBufferSize = size;
            }

            return s_sendBufferSize / 4 < UnixSendWindow;
        },
        closed: false);

    public int Send(ReadOnlySpan<byte> data) => Send(data, NoSignal);

    public int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        try
        {
            fixed (byte* startOfHead = head)
            fixed (byte* startOfBody = body)
            fixed (byte* startOfTail = tail)
            {
                Piece* pieces = stackalloc Piece[3];
                pieces[0] = new Piece(startOfHead, head.Length);
                pieces[1] = new Piece(startOfBody, body.Length);
                pieces[2] = new Piece(startOfTail, tail.Length);
                nint sent;
                do
                {
                    // The runtime ignores SIGPIPE, which this call cannot suppress.
                    sent = WriteVector(this, pieces, 3);
                }
                while (sent < 0 && IsInterrupted());
                return sent < 0 ? Failure(Marshal.GetLastPInvokeError()) : (int)sent;
            }
        }
        catch (ObjectDisposedException)
        {
            return TransportConnection.Reset;
        }
    }

    /// <summary>
    /// Sends the head, then as much of the file as fits. Errors of the file are not reported, because a file that the
    /// system cannot send may still be readable.
    /// </summary>
    public int SendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        int sent = Send(head, NoSignal | MoreFollows);
        if (sent < head.Length)
        {
            return sent;
        }

        long offset = content.Offset;
        long end = offset + content.Count;
        try
        {
            nint moved;
            do
            {
                // The call moves the offset. SIGPIPE is as above.
                moved = SendFile(this, content.File, &offset, (nuint)(end - offset));
            }
            while (moved > 0 ? offset < end : moved < 0 && IsInterrupted());
            return sent + (int)(offset - content.Offset);
        }
        catch (ObjectDisposedException)
        {
            return TransportConnection.Reset;
        }
    }

    /// <summary>Ends our direction of the stream, unless it has ended.</summary>
    public void ShutdownSend() => Try(static socket => Shutdown(socket, ShutdownWrite), closed: 0);

    /// <summary>Makes the close of the descriptor reset a TCP connection.</summary>
    public void ResetOnClose() => Try(
        static socket =>
        {
            // struct linger: on, for 0 seconds.
            int* atOnce = stackalloc int[] { 1, 0 };
            return SetOption(socket, SocketLevel, LingerOption, atOnce, 2 * sizeof(int));
        },
        closed: 0);

    /// <summary>Our address or the peer's; null if it is not an internet address, or the peer has gone.</summary>
    public IPEndPoint? Name(bool ofPeer) => Try(
        socket =>
        {
            var address = new SocketAddress(AddressFamily.InterNetworkV6);
            int length = address.Size;
            fixed (byte* name = address.Buffer.Span)
            {
                int error = ofPeer ? PeerName(socket, name, ref length) : LocalName(socket, name, ref length);
                return error == 0 && address.Family is AddressFamily.InterNetwork or AddressFamily.InterNetworkV6
                    ? (IPEndPoint)new IPEndPoint(IPAddress.Any, 0).Create(address)
                    : null;
            }
        },
        closed: null);

    protected override bool ReleaseHandle() => Close((int)handle) == 0;

    private static bool IsInterrupted() => Marshal.GetLastPInvokeError() == ErrorNumber.Interrupted;

    private static int Failure(int error) =>
        error == ErrorNumber.WouldBlock ? TransportConnection.WouldBlock : TransportConnection.Reset;

    private int Receive(Span<byte> buffer, int flags)
    {
        if (!TryHold())
        {
            return TransportConnection.Reset;
        }

        nint received;
        int error = 0;
        fixed (byte* start = buffer)
        {
            do
            {
                received = Receive(Descriptor, start, (nuint)buffer.Length, flags);
            }
            while (received < 0 && (error = Marshal.GetLastSystemError()) == ErrorNumber.Interrupted);
        }

        DangerousRelease();
        return received < 0 ? Failure(error) : (int)received;
    }

    private int Send(ReadOnlySpan<byte> data, int flags)
    {
        if (!TryHold())
        {
            return TransportConnection.Reset;
        }

        nint sent;
        int error = 0;
        fixed (byte* start = data)
        {
            do
            {
                sent = Send(Descriptor, start, (nuint)data.Length, flags);
            }
            while (sent < 0 && (error = Marshal.GetLastSystemError()) == ErrorNumber.Interrupted);
        }

        DangerousRelease();
        return sent < 0 ? Failure(error) : (int)sent;
    }

    /// <summary>
    /// Takes a reference to the handle for a call by number. False if it is closed. For the two calls of every request:
    /// the JIT inlines a native call only without marshalling and outside a try block. Neither call throws.
    /// </summary>
    private bool TryHold()
    {
        bool isHeld = false;
        try
        {
            DangerousAddRef(ref isHeld);
        }
        catch (ObjectDisposedException)
        {
            // Closed.
        }

        return isHeld;
    }

    /// <summary>The result of a call, or <paramref name="closed"/> if the socket is closed.</summary>
    private T Try<T>(Func<SocketDescriptor, T> call, T closed)
    {
        try
        {
            return call(this);
        }
        catch (ObjectDisposedException)
        {
            return closed;
        }
    }

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    private static partial int Accept(SafeSocketHandle listener, byte* name, int* length, int flags);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Control(SocketDescriptor socket, int command, int argument);

    [LibraryImport("libc", EntryPoint = "recv")]
    private static partial nint Receive(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "send")]
    private static partial nint Send(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "writev", SetLastError = true)]
    private static partial nint WriteVector(SocketDescriptor socket, Piece* pieces, int count);

    [LibraryImport("libc", EntryPoint = "sendfile", SetLastError = true)]
    private static partial nint SendFile(SocketDescriptor socket, SafeFileHandle file, long* offset, nuint count);

    [LibraryImport("libc", EntryPoint = "shutdown")]
    private static partial int Shutdown(SocketDescriptor socket, int how);

    [LibraryImport("libc", EntryPoint = "setsockopt")]
    private static partial int SetOption(SocketDescriptor socket, int level, int option, int* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt")]
    private static partial int GetOption(SocketDescriptor socket, int level, int option, out int value, ref int length);

    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int InputOutputControl(SocketDescriptor socket, nuint request, out int value);

    [LibraryImport("libc", EntryPoint = "getsockname")]
    private static partial int LocalName(SocketDescriptor socket, byte* name, ref int length);

    [LibraryImport("libc", EntryPoint = "getpeername")]
    private static partial int PeerName(SocketDescriptor socket, byte* name, ref int length);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int descriptor);

    /// <summary>struct iovec.</summary>
    private readonly struct Piece(byte* start, int length)
    {
        private readonly byte* _start = start;
        private readonly nuint _length = (nuint)length;
    }
}
