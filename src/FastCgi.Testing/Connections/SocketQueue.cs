using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.Testing.Connections;

/// <summary>Knows when the other end of a unix socket has received what was sent.</summary>
internal static partial class SocketQueue
{
    /// <summary>The memory of what was sent and not yet received (unix(7), SIOCOUTQ).</summary>
    private const int OutputQueueSize = 0x5411;

    /// <summary>
    /// Returns when the other end has received everything, or lost the connection. Returns at once where the system
    /// does not tell.
    /// </summary>
    public static async ValueTask WaitUntilReceivedAsync(Socket socket, CancellationToken cancellationToken)
    {
        if (!OperatingSystem.IsLinux() || socket.AddressFamily != AddressFamily.Unix)
        {
            return;
        }

        while (HasUnreceived(socket))
        {
            cancellationToken.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    [SupportedOSPlatform("linux")]
    private static bool HasUnreceived(Socket socket) =>
        Control(socket.SafeHandle, OutputQueueSize, out int size) == 0 && size > 0;

    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int Control(SafeSocketHandle socket, nuint request, out int value);
}
