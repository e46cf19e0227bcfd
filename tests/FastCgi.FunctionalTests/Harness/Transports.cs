namespace FastCgi.FunctionalTests.Harness;

/// <summary>What every behaviour is shown on.</summary>
public sealed class Transports : TheoryData<ServerTransport>
{
    public Transports()
    {
        if (OperatingSystem.IsLinux())
        {
            Add(ServerTransport.EpollOnUnix);
            Add(ServerTransport.EpollOnTcp);
        }

        Add(ServerTransport.SocketsOnUnix);
        Add(ServerTransport.SocketsOnTcp);
    }
}
