namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The queue of a listening socket, as the Linux kernel reports it.</summary>
/// <param name="Waiting">Connections that wait to be accepted.</param>
/// <param name="Length">The maximum number of waiting connections.</param>
internal readonly record struct ListenQueue(int Waiting, int Length)
{
    private const int TcpLevel = 6;

    /// <summary>TCP_INFO of tcp(7). A listening socket has its queue in tcpi_unacked and tcpi_sacked.</summary>
    private const int TcpInfo = 11;

    /// <summary>Eight bytes, then rto, ato, snd_mss and rcv_mss.</summary>
    private const int UnackedOffset = 24;

    /// <summary>Null if the system does not report it, or the socket is closed.</summary>
    public static ListenQueue? Read(Socket listening)
    {
        try
        {
            return !OperatingSystem.IsLinux() ? null
                : listening.AddressFamily == AddressFamily.Unix ? UnixSocketDiagnosis.ReadQueue(listening)
                : OfTcp(listening);
        }
        catch (Exception exception)
            when (exception is SocketException or ObjectDisposedException or IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static ListenQueue? OfTcp(Socket listening)
    {
        Span<byte> info = stackalloc byte[64];
        int length = listening.GetRawSocketOption(TcpLevel, TcpInfo, info);
        return length < UnackedOffset + (2 * sizeof(int))
            ? null
            : new ListenQueue(
                MemoryMarshal.Read<int>(info[UnackedOffset..]),
                MemoryMarshal.Read<int>(info[(UnackedOffset + sizeof(int))..]));
    }
}
