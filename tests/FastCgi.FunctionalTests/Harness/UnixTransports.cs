namespace FastCgi.FunctionalTests.Harness;

/// <summary>The transports on a unix socket, for what TCP cannot do or must not.</summary>
public sealed class UnixTransports : TheoryData<ServerTransport>
{
    public UnixTransports()
    {
        if (OperatingSystem.IsLinux())
        {
            Add(ServerTransport.EpollOnUnix);
        }

        Add(ServerTransport.SocketsOnUnix);
    }
}
