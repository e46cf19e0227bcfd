using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The steps from the last request to the closed socket: flush, half-close and linger where the peer may still send,
/// close, and tell those who wait for it.
/// </summary>
internal sealed class ConnectionCloser(
    ServerContext server,
    ISlotHost host,
    Lock gate,
    IWireProtocol wire,
    SlotTable slots,
    ConnectionLife life,
    RequestEndings endings,
    ReadLoop reader)
{
    // Guarded by the gate.
    private ConnectionTokens _tokens;

    public CancellationToken Closed
    {
        get
        {
            using (LockOrder.Enter(gate, LockRank.Gate))
            {
                return _tokens.Closed(life.Phase == ConnectionPhase.Closed);
            }
        }
    }

    public CancellationToken CloseRequested
    {
        get
        {
            using (LockOrder.Enter(gate, LockRank.Gate))
            {
                return _tokens.CloseRequested(life.IsEnding);
            }
        }
    }

    /// <summary>Takes no further request after those that run.</summary>
    public void RequestClose()
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            life.Close();
            _tokens.RequestClose(server.ConnectionLog);
            CloseIfIdle();
        }
    }

    /// <summary>The server stops: a request is taken only where its web server could not know.</summary>
    public void Stop()
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            life.Stop();
            _tokens.RequestClose(server.ConnectionLog);
            CloseIfIdle();
        }
    }

    /// <summary>Begins to close if no request runs and none is to come. Under the gate.</summary>
    public void CloseIfIdle()
    {
        bool isDue = life.Phase == ConnectionPhase.Closing
            || (life.Phase == ConnectionPhase.Open && life.IsStopping);
        if (isDue && slots.Count == 0 && (life.Phase == ConnectionPhase.Closing || !ExpectsRequest()))
        {
            life.TryAdvance(ConnectionPhase.Closing);
            life.TryAdvance(ConnectionPhase.Flushing);
            host.Output.WhenDrained(CloseAfterLastByte);
        }
    }

    /// <summary>Judges a connection without requests by the time it has been idle. Under the gate.</summary>
    /// <returns>Why the caller has to close it, without the gate; null for not yet.</returns>
    public ConnectionEndReason? OnIdleTick()
    {
        CloseIfIdle();
        if (life.HasExpectedInVain && !reader.HasArrived())
        {
            // Under the gate: between the judgement and the close no request may begin.
            life.Close();
            CloseIfIdle();
            return null;
        }

        if (host.Output.HasUnsent)
        {
            // The peer still takes a response, and SendTimeout watches how: it is idle when it has all of it.
            life.OnRequestEnded();
            return null;
        }

        if (life.TimedOut() is not { } reason
            || (reason == ConnectionEndReason.KeepAliveTimeout && reader.HasArrived()))
        {
            return null;
        }

        // No request may begin meanwhile.
        life.Close();
        return reason;
    }

    /// <summary>For a connection without requests, on which none can begin any more.</summary>
    public void Close(ConnectionEndReason reason)
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            if (!life.TryAdvance(ConnectionPhase.Closed))
            {
                return;
            }
        }

        Release(reason);
    }

    /// <summary>Ends the connection whatever runs on it.</summary>
    public void End(ConnectionEndReason reason, Exception forRequests)
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            if (reason == ConnectionEndReason.ConnectionReset
                && (life.Phase >= ConnectionPhase.Flushing || reader.HasEnded))
            {
                reason = ConnectionEndReason.ClientClosed;
            }

            if (!life.TryAdvance(ConnectionPhase.Closed))
            {
                return;
            }

            // Closed first: a request that began between the abort of all and the close would stay.
            if (reason is ConnectionEndReason.ConnectionReset or ConnectionEndReason.ClientClosed)
            {
                endings.AbortAll(forRequests);
            }
            else
            {
                endings.BreakOffAll(forRequests);
            }
        }

        Release(reason);
    }

    /// <summary>The socket is lost, or given up.</summary>
    public void Lose(ConnectionEndReason reason) => End(reason, AbortReasons.ConnectionLost());

    /// <summary>The peer takes a response more slowly than it has to.</summary>
    public void LoseSlow()
    {
        ConnectionLogs.ResponseTooSlow(server.ConnectionLog, host.Id);
        Lose(ConnectionEndReason.MinResponseDataRate);
    }

    /// <summary>Wrong bytes: what follows cannot be told apart any more.</summary>
    public void Drop(ProtocolViolation violation, ForeignProtocolAdvice? spoken)
    {
        ConnectionLogs.ProtocolViolation(server.BadRequestLog, host.Id, wire.Name, violation);
        if (spoken is { Answer.IsEmpty: false })
        {
            host.Output.SendAnswer(spoken.Answer);
        }

        if (spoken is not null && server.ForeignProtocols.TryEnter(out long count))
        {
            string peer = host.Transport.RemoteEndPoint?.ToString() ?? "a process of this machine";
            ConnectionLogs.ForeignPeer(
                server.BadRequestLog, host.Transport.LocalEndPoint, wire.Name, peer, spoken.Name, spoken.Advice, count);
        }

        Lose(ConnectionEndReason.ProtocolViolation);
    }

    /// <summary>
    /// In a stop: whether there is, or must be, something to read. Whoever reads it looks for the end of the connection
    /// again.
    /// </summary>
    private bool ExpectsRequest() =>
        life.ExpectsRequest(slots.HasBegun, wire.IsBetweenRecords) || reader.HasArrived();

    private void CloseAfterLastByte()
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            if ((life.Lingers || slots.IsShared) && !reader.HasEnded && life.Phase != ConnectionPhase.Closed)
            {
                // To close with unread bytes would reset the socket, and the peer could lose the answer by it. A peer
                // that mixes requests may be sending the rest of one that it has aborted.
                life.TryAdvance(ConnectionPhase.Lingering);
                host.Transport.ShutdownSend();
                return;
            }
        }

        Close(ConnectionEndReason.RequestsEnded);
    }

    /// <summary>Once, by the caller that made the connection closed.</summary>
    private void Release(ConnectionEndReason reason)
    {
        host.Output.Lose();
        host.Transport.Close();
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            _tokens.CancelAll(server.ConnectionLog);
        }

        host.OnReleased(reason);
    }
}
