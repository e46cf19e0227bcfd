namespace FastCgi.Protocol;

/// <summary>The result of a request at the protocol level (FastCGI 1.0, section 5.5).</summary>
public enum ProtocolStatus : byte
{
    /// <summary>FCGI_REQUEST_COMPLETE: the normal end.</summary>
    RequestComplete = 0,

    /// <summary>FCGI_CANT_MPX_CONN: refused, because the application serves one request per connection.</summary>
    CannotMultiplexConnection = 1,

    /// <summary>FCGI_OVERLOADED: refused, because the application has run out of a resource.</summary>
    Overloaded = 2,

    /// <summary>FCGI_UNKNOWN_ROLE: refused, because the application does not know the role.</summary>
    UnknownRole = 3,
}
