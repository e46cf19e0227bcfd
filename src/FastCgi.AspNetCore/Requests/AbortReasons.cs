using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The exceptions that a read of the body meets after an abort.</summary>
internal static class AbortReasons
{
    /// <summary>HttpContext.Abort().</summary>
    public static Exception ByApplication() =>
        new TaskCanceledException("The request was aborted by the application.");

    /// <summary>RequestTimeout is over.</summary>
    public static Exception TimedOut() =>
        new TaskCanceledException("The request was aborted: it ran longer than RequestTimeout.");

    /// <summary>The response of an upgraded request was completed, which ends its stream too.</summary>
    public static Exception ResponseEnded() =>
        new IOException("The upgraded stream ended with the response, which was completed.");

    /// <summary>The peer is gone, or has no more interest.</summary>
    public static Exception ConnectionLost() =>
        new ConnectionResetException("The web server closed the connection: its client has gone.");
}
