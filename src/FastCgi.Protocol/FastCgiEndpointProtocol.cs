namespace FastCgi.Protocol;

/// <summary>The protocol of an endpoint.</summary>
public enum FastCgiEndpointProtocol
{
    /// <summary>FastCGI 1.0: connections may be kept and shared, and a broken answer is visible as broken.</summary>
    FastCgi,

    /// <summary>
    /// SCGI (A Simple Common Gateway Interface alternative): one request per connection, which may be upgraded to
    /// WebSockets. A request body needs a length. For nginx <c>scgi_pass</c>, Apache mod_proxy_scgi, lighttpd mod_scgi.
    /// </summary>
    Scgi,
}
