using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One accepted socket. <see cref="ReadLoop"/> reads, an <see cref="IWireProtocol"/> says what the bytes are,
/// <see cref="RequestRouter"/> and <see cref="RequestEndings"/> what that does to requests,
/// <see cref="ConnectionCloser"/> ends the connection, and <see cref="SendQueue"/> sends.
/// </summary>
/// <remarks>
/// The gate guards what both directions share: the slots, the life of the connection, its tokens. It is never held
/// while an application runs. Lock order: gate, a response's lock, the send queue's.
/// </remarks>
internal sealed class PeerConnection : ITransportHandler, ISlotHost, IReadTarget, IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private readonly ServerContext _server;
    private readonly Action<PeerConnection, ConnectionEndReason> _onClosed;
    private readonly IWireProtocol _wire;
    private readonly ReadLoop _reader;
    private readonly long _acceptedAt;

    // What these change is guarded by the gate.
    private readonly SlotTable _slots = new();
    private readonly ConnectionLife _life;
    private readonly RequestEndings _endings;
    private readonly RequestRouter _router;
    private readonly ConnectionCloser _closer;

    private int _tickIsQueued; // 1 while a tick waits for the gate on another thread.

    public PeerConnection(
        ServerContext server,
        RequestPool pool,
        TransportConnection transport,
        FastCgiListenOptions endpoint,
        Action<PeerConnection, ConnectionEndReason> onClosed)
    {
        _server = server;
        Transport = transport;
        _onClosed = onClosed;
        Endpoint = endpoint;
        _wire = endpoint.Protocol == FastCgiEndpointProtocol.Scgi ? new ScgiWire() : new FastCgiWire(server.Limits);
        _life = new ConnectionLife(server);
        Output = new SendQueue(transport, server, lost: this);
        _reader = new ReadLoop(transport, server, Output, this);
        _endings = new RequestEndings(server, this, _wire, _slots, _life, pool);
        _router = new RequestRouter(server, this, _wire, _slots, _life, _endings, pool);
        _closer = new ConnectionCloser(server, this, _gate, _wire, _slots, _life, _endings, _reader);
        _acceptedAt = server.TimeProvider.GetTimestamp();
    }

    /// <summary>Made when first asked for: most connections are never mentioned in a log.</summary>
    public string Id => field ??= ConnectionIds.Next();

    public TransportConnection Transport { get; }

    public ConnectionMetricsContext? Metrics { get; init; }

    public TimeSpan Age => _server.TimeProvider.GetElapsedTime(_acceptedAt);

    public FastCgiListenOptions Endpoint { get; }

    public bool HasRecords => _wire.HasRecords;

    public SendQueue Output { get; }

    public RunningRequests Running => new(_server, this, _gate, _slots);

    public CancellationToken Closed => _closer.Closed;

    public CancellationToken CloseRequested => _closer.CloseRequested;

    private ILogger Log => _server.ConnectionLog;

    public void Start()
    {
        if (Log.IsEnabled(LogLevel.Debug))
        {
            ConnectionLogs.Started(Log, Id);
        }

        Transport.Start(this);
    }

    /// <summary>
    /// Judges a connection by its time limits. It waits for nothing, since all connections share this thread: what
    /// ends a connection goes to another thread, and so does a tick that finds the gate taken.
    /// </summary>
    public void OnHeartbeat()
    {
        if (_reader.IsBlind && Transport.IsPeerGone())
        {
            Queue(static connection => connection._closer.Lose(ConnectionEndReason.ConnectionReset));
        }
        else if (Output.IsStuck)
        {
            ConnectionLogs.SendTimedOut(Log, Id);
            Queue(static connection => connection._closer.Lose(ConnectionEndReason.SendTimeout));
        }
        else if (LockOrder.TryEnter(_gate))
        {
            try
            {
                Tick();
            }
            finally
            {
                _gate.Exit();
            }
        }
        else if (Interlocked.Exchange(ref _tickIsQueued, 1) == 0)
        {
            // Not left to the next tick: a busy gate could hide a timeout for as long as it is busy.
            Queue(static connection => connection.TickLater());
        }
    }

    /// <summary>Closes as soon as nothing runs and nothing is on its way.</summary>
    public void CloseForStop() => _closer.Stop();

    /// <summary>The time for the stop is over.</summary>
    public void AbortForStop() => _closer.End(ConnectionEndReason.ServerTimeout, new ConnectionAbortedException(
        "The server stopped before the request had ended."));

    /// <summary>Takes no further request; ends now when none runs, else after the last one.</summary>
    public void RequestClose() => _closer.RequestClose();

    public void Abort(string reason)
    {
        ConnectionLogs.Aborted(Log, Id, reason);
        _closer.End(ConnectionEndReason.AbortedByApplication, new ConnectionAbortedException(
            $"The FastCGI connection was aborted: {reason}."));
    }

    public void ResumeReading() => _reader.Resume();

    public void OnThreadKept() => _reader.EndDeferral();

    public void OnContinuationFailed(Exception exception) =>
        RequestLog.ContinuationFailed(_server.RequestLog, exception, Id);

    public bool TryUpgrade(RequestSlot slot)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            if (slot.Stage != RequestStage.Running)
            {
                return false;
            }

            slot.Request.TurnToUpgraded();
            Transport.ReadToEnd();
            if (_reader.HasEnded)
            {
                slot.Request.Body.End();
            }

            return true;
        }
    }

    public bool End(RequestSlot slot, ArraySegment<byte> last, ProtocolStatus status)
    {
        ResponseEnd end;
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            // 16. Decide: the id is free, and the gate stays held until step 18.
            end = _endings.Decide(slot);
            try
            {
                _endings.SendLast(slot, last, end, status);
            }
            finally
            {
                FinishEnd(slot, end);
            }
        }

        return end >= ResponseEnd.Request;
    }

    public void Tear(RequestSlot slot, object? owner)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            // The abort of a request that has just ended may find another one here.
            if (slot.Stage != RequestStage.Ended && ReferenceEquals(slot.Request.Response, owner))
            {
                _endings.Tear(slot);
                _closer.CloseIfIdle();
            }
        }
    }

    public void OnApplicationDone(RequestSlot slot, bool isOffTheWire)
    {
        // The last of application and wire recycles the slot. If the wire has forgotten it, no other thread changes it,
        // so the gate is not needed.
        if (isOffTheWire || LeaveApplication(slot))
        {
            _endings.Recycle(slot);
        }
    }

    public void OnReleased(ConnectionEndReason reason)
    {
        if (Log.IsEnabled(LogLevel.Debug))
        {
            ConnectionLogs.Stopped(Log, Id, reason);
        }

        _onClosed(this, reason);
    }

    void ITransportHandler.OnReadable() => _reader.Run();

    void ITransportHandler.OnPeerGone() => _closer.Lose(ConnectionEndReason.ConnectionReset);

    void ITransportHandler.OnSendCompleted(bool succeeded)
    {
        Output.OnSendCompleted(succeeded);
        if (!succeeded)
        {
            _closer.Lose(ConnectionEndReason.ConnectionReset);
        }
    }

    /// <summary>A send has found the socket lost.</summary>
    void IThreadPoolWorkItem.Execute() => Run(static self => self._closer.Lose(ConnectionEndReason.ConnectionReset));

    bool IReadTarget.TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadYield yield)
    {
        var violation = ProtocolViolation.None;
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            _reader.EndReceive();
            if (_life.Phase == ConnectionPhase.Closed)
            {
                return false;
            }

            if (_life.Phase < ConnectionPhase.Flushing)
            {
                // 4. Route: the wire cuts records, under the gate. Behind the last response nothing is answered.
                violation = _router.Route(received, ref yield);
            }

            if (violation == ProtocolViolation.None)
            {
                _closer.CloseIfIdle();
                return true;
            }
        }

        _closer.Drop(violation, isFirst ? _wire.Recognise(received) : null);
        return false;
    }

    void IReadTarget.OnNothingReceived()
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            _reader.EndReceive();
            _closer.CloseIfIdle();
        }
    }

    /// <summary>
    /// On a unix socket it may be only the peer's sending half: requests that came whole are answered, then the socket
    /// is closed; a request that is still arriving has lost its client.
    /// </summary>
    void IReadTarget.OnEndOfInput()
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            _reader.EndReceive();
            _life.Close();
            _endings.OnEndOfInput();
            if (_life.Phase != ConnectionPhase.Lingering && (_slots.Count > 0 || Output.HasUnsent))
            {
                Transport.PauseReading();
                _closer.CloseIfIdle();
                return;
            }
        }

        _closer.Close(_wire.IsBetweenRecords ? ConnectionEndReason.ClientClosed : ConnectionEndReason.ConnectionReset);
    }

    void IReadTarget.OnReset() => _closer.Lose(ConnectionEndReason.ConnectionReset);

    bool IReadTarget.TryPauseFor(RequestSlot slot)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            return _slots.Contains(slot) && slot.Request.Body.TryPause(_slots.MayPause);
        }
    }

    void IReadTarget.OnAnswersUntaken() => ConnectionLogs.PeerDoesNotRead(Log, Id);

    /// <summary>True: the wire is done with the slot too.</summary>
    private bool LeaveApplication(RequestSlot slot)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            _slots.Abandoned -= slot.IsAbandoned ? 1 : 0;
            return slot.LeaveApplication();
        }
    }

    /// <summary>Under the gate.</summary>
    private void FinishEnd(RequestSlot slot, ResponseEnd end)
    {
        if (end == ResponseEnd.Stdout)
        {
            slot.BeginDrain(new BodyDrain(_server, slot, OnDrainTick));
        }
        else if (end != ResponseEnd.None)
        {
            // 18. Finish: the next request may begin, or the connection closes.
            _endings.AfterEnd(slot, end);
            _closer.CloseIfIdle();
        }
    }

    /// <summary>Under the gate.</summary>
    private void Tick()
    {
        if (_slots.Count > 0)
        {
            if (!_endings.OnTick())
            {
                Queue(static connection => connection._closer.LoseSlow());
            }

            _router.ReadPast(_reader.SlowReader);
            _closer.CloseIfIdle();
        }
        else if (_closer.OnIdleTick() is { } reason)
        {
            Queue(connection => connection._closer.Close(reason));
        }
    }

    private void TickLater()
    {
        Volatile.Write(ref _tickIsQueued, 0);
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            Tick();
        }
    }

    private void OnDrainTick(RequestSlot slot, BodyDrain drain) => Run(connection =>
    {
        using (LockOrder.Enter(connection._gate, LockRank.Gate))
        {
            // Else it was ended meanwhile, and the slot may serve another request by now.
            if (slot.IsDrainedBy(drain) && drain.IsOver(connection._reader.HasArrived()))
            {
                connection._endings.FinishDraining(slot);
                connection._closer.CloseIfIdle();
            }
        }
    });

    private void Queue(Action<PeerConnection> work) => EndingThreads.Queue(
        static state => state.Connection.Run(state.Work), (Connection: this, Work: work));

    /// <summary>For timers and other threads, where an exception would end the process.</summary>
    private void Run(Action<PeerConnection> work)
    {
        try
        {
            work(this);
        }
        catch (Exception exception)
        {
            ConnectionLogs.Failed(Log, exception, Id);
        }
    }
}
