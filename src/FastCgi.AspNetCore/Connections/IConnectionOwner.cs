using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Connections;

/// <summary>Who keeps the connections of a server.</summary>
internal interface IConnectionOwner
{
    /// <summary>The socket is closed and no request waits for it any more. Called once for each connection.</summary>
    void OnClosed(PeerConnection connection, ConnectionEndReason reason);
}
