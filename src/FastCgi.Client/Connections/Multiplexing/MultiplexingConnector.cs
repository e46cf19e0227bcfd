using FastCgi.Protocol;

namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>
/// Gives each request a stream of its own on shared connections, if the application says that it can
/// (FCGI_MPXS_CONNS). Other applications get a connection for each request.
/// </summary>
internal sealed class MultiplexingConnector(Connector connector, TimeProvider clock) : IConnector
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private Multiplexer? _multiplexer;
    private bool? _canMultiplex;

    public async ValueTask<PooledConnection> ConnectAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_multiplexer?.TryOpen() is { } open)
            {
                return From(open);
            }

            if (_canMultiplex != false
                && await StartAsync(request, cancellationToken).ConfigureAwait(false) is { } first)
            {
                return From(first);
            }
        }
        finally
        {
            _gate.Release();
        }

        return await connector.ConnectAsync(request, cancellationToken).ConfigureAwait(false);
    }

    public void Dispose() => _multiplexer?.Dispose();

    /// <summary>Null: the application cannot. It may close the connection that was used for the question.</summary>
    private async ValueTask<MultiplexedStream?> StartAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Stream stream = await connector.OpenAsync(request, cancellationToken).ConfigureAwait(false);
        try
        {
            GetValuesResultBody values =
                await ApplicationValues.AskAsync(stream, cancellationToken).ConfigureAwait(false);
            _canMultiplex = values.MultiplexConnections == true;
            if (_canMultiplex == true)
            {
                int most = Math.Clamp(values.MaxRequests ?? int.MaxValue, 1, FastCgiConstants.MaxRequestId);
                _multiplexer = new Multiplexer(stream, most);
                return _multiplexer.TryOpen();
            }
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        await stream.DisposeAsync().ConfigureAwait(false);
        return null;
    }

    private PooledConnection From(MultiplexedStream stream) => new(stream, stream.RequestId, clock.GetTimestamp());
}
