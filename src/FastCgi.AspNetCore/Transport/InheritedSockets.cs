using System.Globalization;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// Listening sockets that somebody else made: systemd passes them from descriptor 3 on (sd_listen_fds(3)), spawn-fcgi,
/// mod_fcgid and lighttpd as descriptor 0 (FastCGI 1.0, section 2.2).
/// </summary>
internal static class InheritedSockets
{
    public const ulong FastCgiDescriptor = 0;

    private const ulong FirstSystemdDescriptor = 3;

    /// <summary>What systemd passed to this very process; empty when it passed nothing.</summary>
    public static IReadOnlyList<ulong> FromSystemd() => FromSystemd(Environment.GetEnvironmentVariable);

    internal static IReadOnlyList<ulong> FromSystemd(Func<string, string?> environment)
    {
        if (environment("LISTEN_PID") != Environment.ProcessId.ToString(CultureInfo.InvariantCulture)
            || !int.TryParse(environment("LISTEN_FDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int count))
        {
            return [];
        }

        var descriptors = new ulong[count];
        for (int i = 0; i < count; i++)
        {
            descriptors[i] = FirstSystemdDescriptor + (ulong)i;
        }

        return descriptors;
    }

    public static bool IsListeningSocket(ulong descriptor)
    {
        if (OperatingSystem.IsWindows())
        {
            return false;
        }

        try
        {
            // Without ownership: a descriptor that is something else stays as it is.
            using var handle = new SafeSocketHandle((nint)descriptor, ownsHandle: false);
            using var socket = new Socket(handle);
            return IsListening(socket);
        }
        catch (SocketException)
        {
            return false;
        }
    }

    public static Socket Open(ulong descriptor)
    {
        Socket socket;
        try
        {
            socket = new Socket(new SafeSocketHandle((nint)descriptor, ownsHandle: true));
        }
        catch (SocketException exception)
        {
            throw new IOException(
                $"Descriptor {descriptor} is not a socket: nobody passed one to this process. Let systemd " +
                "(ListenStream=) or spawn-fcgi start it.", exception);
        }

        if (!IsListening(socket))
        {
            throw new IOException(
                $"Descriptor {descriptor} is a socket that does not listen. Pass a listening stream socket " +
                "(systemd: Accept=no).");
        }

        return socket;
    }

    private static bool IsListening(Socket socket) =>
        socket.SocketType == SocketType.Stream
        && (int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.AcceptConnection)! != 0;
}
