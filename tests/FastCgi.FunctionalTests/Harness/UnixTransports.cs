namespace FastCgi.FunctionalTests.Harness;

/// <summary>The transports on a unix socket, for what TCP cannot do or must not.</summary>
public sealed class UnixTransports() : TheoryData<ServerTransport>(Transports.All.Where(static transport =>
    transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix));
