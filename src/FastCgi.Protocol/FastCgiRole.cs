namespace FastCgi.Protocol;

/// <summary>
/// The task of the application in a request (FastCGI 1.0, sections 5.1 and 6). Other values exist on the wire.
/// </summary>
public enum FastCgiRole : ushort
{
    /// <summary>No request has this role.</summary>
    None = 0,

    /// <summary>FCGI_RESPONDER: answers an HTTP request (section 6.2).</summary>
    Responder = 1,

    /// <summary>FCGI_AUTHORIZER: decides whether an HTTP request may pass (section 6.3).</summary>
    Authorizer = 2,

    /// <summary>FCGI_FILTER: filters a file from the Data stream (section 6.4).</summary>
    Filter = 3,
}
