namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>
/// Gives each request its own stream on shared connections, if the application says that it can multiplex
/// (FCGI_MPXS_CONNS), twice on one connection. With other applications each request has its own connection.
/// </summary>
/// <param name="connector">Opens the connections.</param>
/// <param name="timeout">Limit for an answer. An application that does not answer cannot multiplex.</param>
/// <param name="limits">The age at which a connection takes no more requests.</param>
/// <param name="clock">Measures the timeout and the limits.</param>
internal sealed class MultiplexingConnector(
    Connector connector, TimeSpan timeout, PoolLimits limits, TimeProvider clock) : IConnector
{
    /// <summary>A stopping application closes connections. One that always does is asked only this often.</summary>
    private static readonly TimeSpan s_askAgain = TimeSpan.FromMinutes(1);

    private readonly SemaphoreSlim _gate = new(1, 1);
    private Multiplexer? _multiplexer;
    private bool? _canMultiplex;
    private long? _closedAt;

    /// <summary>The time without an answer so far, measured over requests that were cancelled.</summary>
    private TimeSpan _silence;

    /// <remarks>The read loop keeps a shared connection alive, but not its handler.</remarks>
    ~MultiplexingConnector() => _multiplexer?.Dispose();

    private bool MayAsk => _canMultiplex != false
        && (_closedAt is not { } at || clock.GetElapsedTime(at) >= s_askAgain);

    public async ValueTask<PooledConnection> ConnectAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_multiplexer is { } shared && !limits.IsOld(shared.CreatedAt, clock) && TryOpen(shared) is { } open)
            {
                return open;
            }

            if (MayAsk && await StartAsync(request, cancellationToken).ConfigureAwait(false) is { } first)
            {
                return first;
            }
        }
        finally
        {
            _gate.Release();
        }

        return await connector.ConnectAsync(request, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Responses that are being read continue, as on connections that are not shared.</summary>
    public void Dispose()
    {
        _multiplexer?.Drain();
        GC.SuppressFinalize(this);
    }

    /// <summary>Null if the application cannot multiplex, or has closed the connection of the question.</summary>
    private async ValueTask<PooledConnection?> StartAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        PooledConnection asked = await connector.ConnectAsync(request, cancellationToken).ConfigureAwait(false);
        try
        {
            GetValuesResultBody? answer = await AskAsync(asked.Stream, cancellationToken).ConfigureAwait(false);
            if (answer?.MultiplexConnections == true)
            {
                // mono-fastcgi-server says that it can multiplex, but closes the connection after its answer.
                answer = await AskAsync(asked.Stream, cancellationToken).ConfigureAwait(false);
            }

            if (answer is { } values)
            {
                _canMultiplex = values.MultiplexConnections == true;
                if (_canMultiplex == true)
                {
                    int most = Math.Clamp(values.MaxRequests ?? int.MaxValue, 1, FastCgiConstants.MaxRequestId);
                    _multiplexer = new Multiplexer(asked.Stream, most, asked.CreatedAt, connector.Name);
                    return TryOpen(_multiplexer);
                }
            }
            else
            {
                _closedAt = clock.GetTimestamp();
            }
        }
        catch
        {
            asked.Close();
            throw;
        }

        asked.Close();
        return null;
    }

    private async ValueTask<GetValuesResultBody?> AskAsync(Stream stream, CancellationToken cancellationToken)
    {
        long askedAt = clock.GetTimestamp();
        using var timed = new CancellationTokenSource(
            timeout == Timeout.InfiniteTimeSpan || timeout > _silence ? timeout - _silence : TimeSpan.Zero, clock);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            GetValuesResultBody? answer = await ApplicationValues.AskAsync(stream, linked.Token).ConfigureAwait(false);
            _silence = TimeSpan.Zero;
            return answer;
        }
        catch (OperationCanceledException)
            when (timed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return default(GetValuesResultBody);
        }
        catch (OperationCanceledException) when (timeout != Timeout.InfiniteTimeSpan)
        {
            // The next request asks again. Its limit is reduced by this time.
            _silence += clock.GetElapsedTime(askedAt);
            throw;
        }
    }

    private static PooledConnection? TryOpen(Multiplexer shared) => shared.TryOpen() is { } stream
        ? new PooledConnection(stream, stream.RequestId, shared.CreatedAt, stream.Renew) { IsReused = shared.HasServed }
        : null;
}
