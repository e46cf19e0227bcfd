namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>Whose descriptor is in the set.</summary>
internal interface IEpollTarget
{
    /// <summary>What the kernel hands back with each event; set while the target is in the table.</summary>
    ulong Token { get; set; }

    /// <summary>An event from the set, on a waiting thread that may stay as long as an application runs.</summary>
    void OnEvents(EpollEvents events);

    /// <summary>Has what the descriptor is ready for at this moment reported as an event. The error number, 0 for none.</summary>
    int Rearm();
}
