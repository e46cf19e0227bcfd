using Xunit;

namespace FastCgi.TestKit;

/// <summary>Where readiness comes from, and what kind of socket it is of.</summary>
public enum ServerTransport
{
    EpollOnUnix,
    EpollOnTcp,
    SocketsOnUnix,
    SocketsOnTcp,

    /// <summary>A transport that the application registers.</summary>
    OtherOnUnix,
}

/// <summary>
/// Every transport of the server, for behaviour that reads, sends, waits or ends otherwise on another one. What lies above them is
/// shown on the usual one.
/// </summary>
public sealed class Transports() : TheoryData<ServerTransport>(All)
{
    public static IReadOnlyList<ServerTransport> All { get; } = OperatingSystem.IsLinux()
        ? [.. Enum.GetValues<ServerTransport>().Except([ServerTransport.OtherOnUnix])]
        : [ServerTransport.SocketsOnUnix, ServerTransport.SocketsOnTcp];

    /// <summary>What an application has by default.</summary>
    public static ServerTransport Usual { get; } =
        OperatingSystem.IsLinux() ? ServerTransport.EpollOnUnix : ServerTransport.SocketsOnTcp;
}

/// <summary>Those of the server, and one that the application registers.</summary>
public sealed class AnyTransports() : TheoryData<ServerTransport>([.. Transports.All, ServerTransport.OtherOnUnix]);

/// <summary>The transports on a unix socket, for what TCP cannot do or must not.</summary>
public sealed class UnixTransports() : TheoryData<ServerTransport>(Transports.All.Where(static transport =>
    transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix));
