using System.Diagnostics;
using FastCgi.Client.Diagnostics;

namespace FastCgi.Client.Connections;

/// <summary>
/// The connections to one endpoint: a limited number at a time, the last used one first, and none kept for longer than
/// allowed. If none is free, a request waits.
/// </summary>
internal sealed class ConnectionPool : IDisposable
{
    private static readonly TimeSpan s_sweep = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly List<PooledConnection> _idle = [];
    private readonly LinkedList<TaskCompletionSource<PooledConnection?>> _waiting = [];
    private readonly IConnector _connector;
    private readonly PoolLimits _limits;
    private readonly HandlerMetrics _metrics;
    private readonly TimeProvider _clock;
    private readonly TagList _endpoint;
    private readonly ITimer _sweeper;
    private readonly KeepingRecord _keeping;
    private int _count;
    private bool _sweeping;
    private bool _disposed;

    public ConnectionPool(
        IConnector connector, PoolLimits limits, HandlerMetrics metrics, ConnectionTarget target, TimeProvider clock)
    {
        _metrics = metrics;
        _endpoint.Add("server.address", target.Host);
        if (target.Port is { } port)
        {
            _endpoint.Add("server.port", port);
        }

        _connector = connector;
        _limits = limits;
        _clock = clock;
        _keeping = new KeepingRecord(clock);
        using (ExecutionContext.SuppressFlow())
        {
            // The timer must not keep a pool alive whose handler was dropped without disposal.
            _sweeper = clock.CreateTimer(
                static pool => Sweep((WeakReference<ConnectionPool>)pool!),
                new WeakReference<ConnectionPool>(this),
                Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Rents a connection for exclusive use. Every one must be given to Return or Discard.</summary>
    /// <param name="request">The request, for the connect callback.</param>
    /// <param name="need">The kind of connection that the request can use.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public ValueTask<PooledConnection> RentAsync(
        HttpRequestMessage request, ConnectionNeed need, CancellationToken cancellationToken)
    {
        LinkedListNode<TaskCompletionSource<PooledConnection?>>? waiter = null;
        PooledConnection? connection = null;
        bool isNew;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            connection = TakeIdle(need, out isNew);
            if (connection is null)
            {
                if (_count < _limits.MaxConnections)
                {
                    _count++;
                }
                else
                {
                    waiter = new(new(TaskCreationOptions.RunContinuationsAsynchronously));
                    _waiting.AddLast(waiter);
                }
            }
        }

        if (connection is not null)
        {
            Count(connection, -1, isIdle: true);
            if (!isNew)
            {
                Count(connection, 1, isIdle: false);
                return new(connection);
            }

            // An idle connection is replaced by a new one.
            connection.Close();
        }

        return waiter is null
            ? OpenAsync(request, cancellationToken)
            : WaitAsync(waiter, isNew, request, cancellationToken);
    }

    /// <summary>Notes that a kept connection proved to be closed.</summary>
    public void OnStale()
    {
        lock (_gate)
        {
            _keeping.OnClosed();
        }
    }

    /// <summary>Takes back a connection that the peer keeps after the request.</summary>
    public void Return(PooledConnection connection)
    {
        bool isUsable = connection.TryRenew();
        lock (_gate)
        {
            if (connection.IsReused)
            {
                _keeping.OnKept();
            }

            connection.IsReused = true;
            if (isUsable && !_disposed && !_limits.IsOld(connection.CreatedAt, _clock))
            {
                if (TryGive(connection))
                {
                    return;
                }

                Count(connection, -1, isIdle: false);
                Count(connection, 1, isIdle: true);
                connection.IdleSince = _clock.GetTimestamp();
                _idle.Add(connection);
                StartSweeping();
                return;
            }
        }

        Discard(connection);
    }

    /// <summary>Closes a connection that cannot be used any more. A waiting request gets its place.</summary>
    public void Discard(PooledConnection connection)
    {
        Count(connection, -1, isIdle: false);
        connection.Close();
        FreePlace();
    }

    public void Dispose()
    {
        PooledConnection[] idle;
        lock (_gate)
        {
            _disposed = true;
            idle = [.. _idle];
            _idle.Clear();
            foreach (TaskCompletionSource<PooledConnection?> waiter in _waiting)
            {
                waiter.TrySetException(new ObjectDisposedException(nameof(ConnectionPool)));
            }

            _waiting.Clear();
        }

        _sweeper.Dispose();
        Array.ForEach(idle, CloseIdle);
        _connector.Dispose();
    }

    private async ValueTask<PooledConnection> OpenAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            PooledConnection connection =
                await _connector.ConnectAsync(request, cancellationToken).ConfigureAwait(false);
            connection.IsCounted = _metrics.AreConnectionsCounted;
            Count(connection, 1, isIdle: false);
            return connection;
        }
        catch
        {
            FreePlace();
            throw;
        }
    }

    private async ValueTask<PooledConnection> WaitAsync(
        LinkedListNode<TaskCompletionSource<PooledConnection?>> waiter,
        bool isNew,
        HttpRequestMessage request,
        CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (waiter, token) => ((TaskCompletionSource<PooledConnection?>)waiter!).TrySetCanceled(token),
            waiter.Value);
        long since = Stopwatch.GetTimestamp();
        PooledConnection? connection;
        try
        {
            connection = await waiter.Value.Task.ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // No connection may be returned for hours.
            RemoveWaiter(waiter);
            throw;
        }

        if (_metrics.TimeInQueue.Enabled)
        {
            _metrics.TimeInQueue.Record(Stopwatch.GetElapsedTime(since).TotalSeconds, _metrics.TagsOf(request));
        }

        if (connection is not null && isNew)
        {
            // Its place stays reserved.
            Count(connection, -1, isIdle: false);
            connection.Close();
            connection = null;
        }

        return connection ?? await OpenAsync(request, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Frees the place of a connection: a waiting request may open another one.</summary>
    private void FreePlace()
    {
        lock (_gate)
        {
            if (!TryGive(null))
            {
                _count--;
            }
        }
    }

    /// <summary>Gives a connection, or the place for one, to the request that has waited longest.</summary>
    private bool TryGive(PooledConnection? connection)
    {
        while (_waiting.First is { } waiter)
        {
            _waiting.Remove(waiter);
            if (waiter.Value.TrySetResult(connection))
            {
                return true;
            }
        }

        return false;
    }

    private void RemoveWaiter(LinkedListNode<TaskCompletionSource<PooledConnection?>> waiter)
    {
        lock (_gate)
        {
            if (waiter.List is not null)
            {
                _waiting.Remove(waiter);
            }
        }
    }

    /// <summary>Takes the last used connection, or one to be replaced by a new one.</summary>
    private PooledConnection? TakeIdle(ConnectionNeed need, out bool isNew)
    {
        isNew = need == ConnectionNeed.New;
        int index = _idle.Count - 1;
        if (need == ConnectionNeed.Steady && !_keeping.IsGood)
        {
            // The first one has been idle for the longest time, and is kept until it has settled. Until then a new
            // connection replaces the last one, if there are others, so that consecutive requests do not fill the pool.
            bool isSettled = index >= 0 && _keeping.IsSettled(_idle[0]);
            index = isSettled ? 0 : index > 0 || _count == _limits.MaxConnections ? index : -1;
            isNew = !isSettled;
        }

        if (index < 0)
        {
            return null;
        }

        PooledConnection connection = _idle[index];
        _idle.RemoveAt(index);
        isNew |= IsExpired(connection);
        return connection;
    }

    private bool IsExpired(PooledConnection idle) =>
        _limits.IsOld(idle.CreatedAt, _clock) || _limits.IsIdleTooLong(idle.IdleSince, _clock);

    private void StartSweeping()
    {
        if (!_sweeping)
        {
            _sweeping = true;
            _sweeper.Change(s_sweep, s_sweep);
        }
    }

    private static void Sweep(WeakReference<ConnectionPool> pool)
    {
        if (pool.TryGetTarget(out ConnectionPool? alive))
        {
            alive.Sweep();
        }
    }

    private void Sweep()
    {
        List<PooledConnection> closed = [];
        lock (_gate)
        {
            for (int i = _idle.Count - 1; i >= 0; i--)
            {
                if (IsExpired(_idle[i]))
                {
                    closed.Add(_idle[i]);
                    _idle.RemoveAt(i);
                }
            }

            if (_idle.Count == 0 && !_disposed)
            {
                _sweeping = false;
                _sweeper.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }

        closed.ForEach(CloseIdle);
    }

    private void CloseIdle(PooledConnection connection)
    {
        Count(connection, -1, isIdle: true);
        connection.Close();
        FreePlace();
    }

    private void Count(PooledConnection connection, long delta, bool isIdle)
    {
        if (connection.IsCounted)
        {
            _metrics.CountConnection(delta, isIdle, _endpoint);
        }
    }
}
