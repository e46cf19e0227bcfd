namespace FastCgi.AspNetCore.Transport.Memory;

/// <summary>The reports of the web server's end of a connection in memory.</summary>
internal interface IMemoryEvents
{
    /// <summary>It has written.</summary>
    void OnReadable();

    /// <summary>It has read.</summary>
    void OnRoom();

    /// <summary>It neither sends nor receives any more.</summary>
    void OnPeerClosed();
}
