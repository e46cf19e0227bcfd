namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// The calls of an epoll instance for one descriptor. A seam: tests make them fail.
/// </summary>
internal interface IEpollSet
{
    /// <summary>Adds a descriptor. The error number, 0 for none.</summary>
    int TryAdd(nint descriptor, EpollEvents events, ulong token);

    /// <summary>
    /// Sets the events of a descriptor and reports again what it is ready for at this moment. The error number, 0 for
    /// none.
    /// </summary>
    int TryModify(nint descriptor, EpollEvents events, ulong token);

    /// <summary>Whether the system would watch one more descriptor.</summary>
    bool HasRoom();
}
