using System.Buffers.Binary;
using System.Net;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>Reads struct sockaddr_in and sockaddr_in6 of Linux.</summary>
internal static class SocketName
{
    private const int InterNetwork = 2;
    private const int InterNetworkV6 = 10;

    /// <summary>Null for any other family.</summary>
    public static IPEndPoint? Parse(ReadOnlySpan<byte> name)
    {
        if (name.Length < 8)
        {
            return null;
        }

        int port = BinaryPrimitives.ReadUInt16BigEndian(name[2..]);
        return BitConverter.ToUInt16(name) switch
        {
            InterNetwork => new IPEndPoint(new IPAddress(name.Slice(4, 4)), port),
            InterNetworkV6 when name.Length >= 28 =>
                new IPEndPoint(new IPAddress(name.Slice(8, 16), BitConverter.ToUInt32(name[24..])), port),
            _ => null,
        };
    }
}
