namespace FastCgi.Client;

/// <summary>The reason why a request to a FastCGI or SCGI application failed.</summary>
public enum FastCgiError
{
    /// <summary>Another reason. See the message and the inner exception.</summary>
    Unknown,

    /// <summary>No connection: nothing listens there, the socket file is missing, or access is denied.</summary>
    ConnectFailed,

    /// <summary>The connect timeout elapsed before there was a connection.</summary>
    ConnectTimeout,

    /// <summary>The connection broke before the response was complete.</summary>
    ConnectionLost,

    /// <summary>The application sent no response head within the response headers timeout.</summary>
    ResponseHeadersTimeout,

    /// <summary>The application refused: FCGI_OVERLOADED (FastCGI 1.0, section 5.5).</summary>
    Overloaded,

    /// <summary>The application refused: FCGI_UNKNOWN_ROLE.</summary>
    UnknownRole,

    /// <summary>The application refused: FCGI_CANT_MPX_CONN.</summary>
    CannotMultiplex,

    /// <summary>The peer answered in HTTP. An HTTP server listens on the endpoint.</summary>
    PeerSpeaksHttp,

    /// <summary>The peer sent bytes that are no FastCGI record, or a record that is not allowed there.</summary>
    ProtocolViolation,

    /// <summary>The response ended before its head or before its declared length.</summary>
    ResponseEnded,

    /// <summary>The response head is not that of a CGI response (RFC 3875, section 6).</summary>
    InvalidHead,

    /// <summary>The response head is longer than the limit.</summary>
    HeadTooLong,

    /// <summary>Local redirects (RFC 3875, section 6.2.2) follow each other endlessly.</summary>
    TooManyRedirects,

    /// <summary>The request cannot be expressed: a path outside the document root, a NUL, a missing option.</summary>
    InvalidRequest,

    /// <summary>The application sent no bytes of its response for longer than the response idle timeout.</summary>
    ResponseIdleTimeout,
}
