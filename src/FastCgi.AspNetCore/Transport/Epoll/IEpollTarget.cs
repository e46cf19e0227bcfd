namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The owner of a descriptor in the set.</summary>
internal interface IEpollTarget
{
    /// <summary>
    /// The number that the kernel hands back with each event; set while the target is in the table.
    /// </summary>
    ulong Token { get; set; }

    /// <summary>An event from the set, on a waiting thread that may stay as long as an application runs.</summary>
    void OnEvents(EpollEvents events);

    /// <summary>
    /// Has what the descriptor is ready for at this moment reported as an event. The target itself deals with a system
    /// that refuses.
    /// </summary>
    void Rearm();
}
