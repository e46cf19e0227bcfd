namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// How much of a large response waits in a unix socket for its reader. The system would take twice as much. That leaves
/// the processor's cache before the reader copies it, and a record is cut where the buffer ends: the rest needs a copy
/// and a wake-up of its own.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class UnixSendWindow
{
    /// <summary>Two records of the largest size, with what the system needs to keep them.</summary>
    public const int MostUnread = 128 * 1024;

    /// <summary>The size in bytes below which a send is not checked.</summary>
    public const int SmallestChecked = 32 * 1024;

    // The size of the first socket's buffer: all have the system's default. 0 until then.
    private static int s_bufferSize;

    /// <summary>
    /// Whether a large send should wait until the socket is writable, which Linux says of a unix socket when at most a
    /// quarter of its buffer is unread. If that is more than the window, nothing waits.
    /// </summary>
    public static bool IsFull(SocketDescriptor socket)
    {
        if (socket.UnreadBytes() < MostUnread)
        {
            return false;
        }

        if (s_bufferSize == 0)
        {
            s_bufferSize = socket.SendBufferSize();
        }

        return s_bufferSize / 4 < MostUnread;
    }
}
