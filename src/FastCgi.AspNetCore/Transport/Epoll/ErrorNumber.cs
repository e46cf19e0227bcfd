using System.ComponentModel;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>What errno says on Linux. The same on every architecture that .NET runs on.</summary>
internal static class ErrorNumber
{
    public const int Interrupted = 4;
    public const int WouldBlock = 11;
    public const int OutOfMemory = 12;
    public const int TooManyFilesInSystem = 23;
    public const int TooManyFiles = 24;
    public const int ConnectionAborted = 103;
    public const int OutOfBuffers = 105;

    /// <summary>As System.Net.Sockets reports it, for failures that come and go.</summary>
    public static Exception ToException(int error) => error switch
    {
        TooManyFiles or TooManyFilesInSystem => new SocketException((int)SocketError.TooManyOpenSockets),
        OutOfBuffers or OutOfMemory => new SocketException((int)SocketError.NoBufferSpaceAvailable),
        _ => new Win32Exception(error),
    };
}
