namespace FastCgi.Client;

/// <summary>
/// Information for a <see cref="FastCgiHandlerOptions.ConnectCallback"/> about the connection to open.
/// </summary>
public sealed class FastCgiConnectContext
{
    internal FastCgiConnectContext(string endpoint, HttpRequestMessage initialRequest) =>
        (Endpoint, InitialRequest) = (endpoint, initialRequest);

    /// <summary>The endpoint as given in the options.</summary>
    public string Endpoint { get; }

    /// <summary>The first request of the connection. Others may follow.</summary>
    public HttpRequestMessage InitialRequest { get; }
}
