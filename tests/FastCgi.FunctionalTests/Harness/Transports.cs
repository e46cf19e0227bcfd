namespace FastCgi.FunctionalTests.Harness;

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
