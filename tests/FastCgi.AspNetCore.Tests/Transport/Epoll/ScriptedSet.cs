namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>A set that does as the test says, and reports nothing.</summary>
[SupportedOSPlatform("linux")]
internal sealed class ScriptedSet : IEpollSet
{
    public int Error { get; set; }

    public int Calls { get; private set; }

    public int TryAdd(nint descriptor, EpollEvents events, ulong token) => Answer();

    public int TryModify(nint descriptor, EpollEvents events, ulong token) => Answer();

    public bool HasRoom() => Error == 0;

    private int Answer()
    {
        Calls++;
        return Error;
    }
}
