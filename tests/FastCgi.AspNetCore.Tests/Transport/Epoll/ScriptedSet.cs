namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>A set that does as the test says, and reports nothing.</summary>
[SupportedOSPlatform("linux")]
internal sealed class ScriptedSet : IEpollSet
{
    public int Error { get; set; }

    public int Calls { get; private set; }

    public int TryWatch(System.Runtime.InteropServices.SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token)
    {
        Calls++;
        return Error;
    }

    public bool HasRoom() => Error == 0;
}
