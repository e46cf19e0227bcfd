namespace FastCgi.Client.Connections;

/// <summary>Opens connections to the application.</summary>
internal interface IConnector : IDisposable
{
    /// <exception cref="FastCgiException">No connection can be opened.</exception>
    ValueTask<PooledConnection> ConnectAsync(HttpRequestMessage request, CancellationToken cancellationToken);
}
