namespace FastCgi.Client;

/// <summary>
/// The facts for a <see cref="FastCgiHandlerOptions.ConnectCallback"/> about the connection that it makes.
/// </summary>
public sealed class FastCgiConnectContext
{
    internal FastCgiConnectContext(string endpoint, HttpRequestMessage initialRequest) =>
        (Endpoint, InitialRequest) = (endpoint, initialRequest);

    /// <summary>The endpoint as the options name it.</summary>
    public string Endpoint { get; }

    /// <summary>The request that needs the connection first. Others may follow on it.</summary>
    public HttpRequestMessage InitialRequest { get; }
}
