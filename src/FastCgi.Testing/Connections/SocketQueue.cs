using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.Testing.Connections;

/// <summary>Waits until the other end of a unix socket has received the sent bytes.</summary>
internal static partial class SocketQueue
{
    /// <summary>The memory of sent but not received bytes (unix(7), SIOCOUTQ).</summary>
    private const int OutputQueueSize = 0x5411;

    /// <summary>
    /// Returns when the other end has received all bytes or lost the connection. Returns at once if the system does not
    /// report that.
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
