namespace FastCgi.FunctionalTests.Harness;

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
