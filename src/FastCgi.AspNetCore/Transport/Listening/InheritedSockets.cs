namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Listening sockets that another process bound for us: systemd, spawn-fcgi, a web server.</summary>
internal static partial class InheritedSockets
{
    /// <summary>SD_LISTEN_FDS_START.</summary>
    private const int FirstSystemdHandle = 3;

    private const int SetDescriptorFlags = 2;
    private const int CloseOnExec = 1;
    private const int MostSockets = ushort.MaxValue * 64;

    /// <summary>
    /// The descriptors that systemd passed to this process with LISTEN_FDS and LISTEN_PID. None if the variables are
    /// missing, wrong, or meant for a parent process.
    /// </summary>
    public static ulong[] FromSystemd() => FromSystemd(
        Environment.GetEnvironmentVariable("LISTEN_PID"),
        Environment.GetEnvironmentVariable("LISTEN_FDS"),
        Environment.ProcessId);

    internal static ulong[] FromSystemd(string? listenPid, string? listenFds, int processId)
    {
        bool arePassed = TryParse(listenFds, MostSockets, out int count)
            && TryParse(listenPid, int.MaxValue, out int pid) && pid == processId;
        return [.. Enumerable.Range(FirstSystemdHandle, arePassed ? count : 0).Select(static handle => (ulong)handle)];
    }

    /// <summary>
    /// Opens the listening socket of a descriptor, and takes ownership of it. Throws an <see cref="IOException"/> for
    /// any other descriptor, which then stays open.
    /// </summary>
    public static Socket Open(ulong handle)
    {
        if (Examine(handle) is { } reason)
        {
            throw new IOException(
                $"The inherited descriptor {handle} cannot be listened on: {reason}. It must be a stream socket that " +
                "already listens.");
        }

        if (OperatingSystem.IsLinux())
        {
            // Programs that the application starts must not keep it open after this process ends.
            _ = DescriptorControl((int)handle, SetDescriptorFlags, CloseOnExec);
        }

        return new Socket(new SafeSocketHandle((nint)handle, ownsHandle: true));
    }

    /// <summary>The address of a descriptor; null if it is not a listening stream socket.</summary>
    public static EndPoint? ReadAddress(ulong handle)
    {
        if (Examine(handle) is not null)
        {
            return null;
        }

        using var socket = new Socket(new SafeSocketHandle((nint)handle, ownsHandle: false));
        return socket.LocalEndPoint;
    }

    /// <summary>The fault of the descriptor, or null.</summary>
    private static string? Examine(ulong handle)
    {
        if (handle > int.MaxValue)
        {
            return "there is no such descriptor";
        }

        try
        {
            using var socket = new Socket(new SafeSocketHandle((nint)handle, ownsHandle: false));
            if (socket.SocketType != SocketType.Stream)
            {
                return "it is no stream socket";
            }

            bool listens = socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.AcceptConnection) is 1;
            return listens ? null : "it is a socket that does not listen";
        }
        catch (SocketException exception)
        {
            return exception.Message;
        }
    }

    private static bool TryParse(string? text, int most, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value <= most;

    [LibraryImport("libc", EntryPoint = "fcntl")]
    private static partial int DescriptorControl(int descriptor, int command, int argument);
}
