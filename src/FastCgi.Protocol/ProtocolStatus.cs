namespace FastCgi.Protocol;

/// <summary>How a request ended at the level of the protocol (FastCGI 1.0, section 5.5).</summary>
public enum ProtocolStatus : byte
{
    /// <summary>FCGI_REQUEST_COMPLETE: the normal end.</summary>
    RequestComplete = 0,

    /// <summary>FCGI_CANT_MPX_CONN: refused, this application serves one request at a time on a connection.</summary>
    CannotMultiplexConnection = 1,

    /// <summary>FCGI_OVERLOADED: refused, the application has run out of some resource.</summary>
    Overloaded = 2,

    /// <summary>FCGI_UNKNOWN_ROLE: refused, the application does not know the role.</summary>
    UnknownRole = 3,
}
