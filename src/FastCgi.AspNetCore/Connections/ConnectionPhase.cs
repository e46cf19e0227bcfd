namespace FastCgi.AspNetCore.Connections;

/// <summary>How far a connection is on its way to its end. It only moves down this list.</summary>
internal enum ConnectionPhase
{
    /// <summary>Takes requests.</summary>
    Open,

    /// <summary>Takes no request any more, and ends after those that run.</summary>
    Closing,

    /// <summary>No request is left; the last bytes are on their way into the socket.</summary>
    Flushing,

    /// <summary>Half-closed: what the peer still sends is discarded until it closes too.</summary>
    Lingering,

    /// <summary>The socket is closed.</summary>
    Closed,
}
