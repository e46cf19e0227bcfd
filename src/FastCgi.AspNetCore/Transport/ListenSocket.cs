using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>Makes listening sockets. Errors name the address and what to do.</summary>
internal static class ListenSocket
{
    public static (Socket Socket, UnixSocketFile? File) Open(ListenTarget target)
    {
        if (target.Handle is ulong handle)
        {
            return (InheritedSockets.Open(handle), null);
        }

        return target.EndPoint is UnixDomainSocketEndPoint unix ? OpenUnix(target, unix) : (OpenTcp(target), null);
    }

    private static Socket OpenTcp(ListenTarget target)
    {
        var endPoint = (IPEndPoint)target.EndPoint!;
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (endPoint.Address.Equals(IPAddress.IPv6Any))
            {
                socket.DualMode = true;
            }

            // A restarted server takes its port back though old connections linger. On Unix, .NET sets SO_REUSEADDR.
            socket.Bind(endPoint);
            socket.Listen(target.Backlog);
            return socket;
        }
        catch (SocketException exception)
        {
            socket.Dispose();
            throw BindFailed(target, exception);
        }
    }

    private static (Socket Socket, UnixSocketFile? File) OpenUnix(ListenTarget target, UnixDomainSocketEndPoint endPoint)
    {
        string path = endPoint.ToString();
        bool isAbstract = path.StartsWith('@');
        if (!isAbstract)
        {
            UnixSocketFile.RequireFree(path, target.Address);
        }

        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        UnixSocketFile? file = null;
        try
        {
            socket.Bind(endPoint);
            if (!isAbstract)
            {
                // Between bind and listen nobody can connect, so nobody meets the mode of the umask.
                file = UnixSocketFile.Created(path);
                file.Secure(target.UnixMode, target.UnixOwner, target.UnixGroup);
            }

            socket.Listen(target.Backlog);
            return (socket, file);
        }
        catch (SocketException exception)
        {
            socket.Dispose();
            file?.DeleteIfOurs();
            throw BindFailed(target, exception);
        }
        catch
        {
            socket.Dispose();
            file?.DeleteIfOurs();
            throw;
        }
    }

    private static IOException BindFailed(ListenTarget target, SocketException exception) =>
        new(exception.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse =>
                $"Failed to bind to address {target.Address}: address already in use.",
            SocketError.AccessDenied =>
                $"Failed to bind to address {target.Address}: permission denied. " +
                "The process's user may not create a socket there.",
            _ => $"Failed to bind to address {target.Address}: {exception.Message}",
        }, exception);
}
