namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Why a connection ended; the error.type of its metrics unless it ended as it should.</summary>
internal enum ConnectionEndReason
{
    /// <summary>The peer closed or reset it between two requests.</summary>
    ClientClosed,

    /// <summary>Its last request had ended, and the peer had not asked to keep it or the server stops.</summary>
    RequestsEnded,

    /// <summary>It was idle for longer than KeepAliveTimeout.</summary>
    KeepAliveTimeout,

    /// <summary>The peer took nothing of what waited for it for longer than SendTimeout.</summary>
    SendTimeout,

    /// <summary>The peer took a response more slowly than its MinResponseDataRate.</summary>
    MinResponseDataRate,

    /// <summary>The peer closed or reset it while a request was under way.</summary>
    ConnectionReset,

    /// <summary>The peer sent what is not FastCGI.</summary>
    ProtocolViolation,

    /// <summary>The application aborted a request, or failed after its response had begun.</summary>
    AbortedByApplication,

    /// <summary>A response had begun, and did not end within RequestTimeout.</summary>
    RequestTimeout,

    /// <summary>The server stopped before its requests had ended.</summary>
    StopTimeout,
}
