using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Connections;

/// <summary>Tells the event source of connections. Their ids are made only where somebody listens.</summary>
internal static class ConnectionEvents
{
    public static void Start(PeerConnection connection)
    {
        FastCgiEventSource log = FastCgiEventSource.Log;
        log.ConnectionAccepted();
        if (log.IsEnabled())
        {
            log.ConnectionStart(
                connection.Id, connection.Transport.LocalEndPoint?.ToString() ?? "",
                connection.Transport.RemoteEndPoint?.ToString() ?? "");
        }
    }

    public static void Stop(PeerConnection connection, ConnectionEndReason reason)
    {
        FastCgiEventSource log = FastCgiEventSource.Log;
        log.ConnectionEnded();
        if (log.IsEnabled())
        {
            log.ConnectionStop(connection.Id, reason.ToString());
        }
    }
}
