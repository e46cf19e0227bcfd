namespace FastCgi.Client.Connections;

/// <summary>Makes connections to the application.</summary>
internal interface IConnector : IDisposable
{
    /// <exception cref="FastCgiException">There is none to be had.</exception>
    ValueTask<PooledConnection> ConnectAsync(HttpRequestMessage request, CancellationToken cancellationToken);
}
