namespace FastCgi.Client;

/// <summary>The protocol that the application speaks on an endpoint.</summary>
public enum FastCgiWireProtocol
{
    /// <summary>FastCGI 1.0: connections may be kept, and a response that breaks off shows as broken.</summary>
    FastCgi,

    /// <summary>
    /// SCGI (A Simple Common Gateway Interface alternative): one request on each connection, which may be upgraded to
    /// WebSockets. A request body needs a length.
    /// </summary>
    Scgi,
}
