using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The end of a request and the end of the connection. Exactly one END_REQUEST for each BEGIN_REQUEST.</summary>
internal abstract partial class PeerConnection
{
    // Guarded by the gate.
    private bool _closeStarted;
    private bool _discarding;
    private bool _closed;

    /// <summary>No request is taken any more, and the socket closes after the last one. Guarded by the gate.</summary>
    protected bool IsClosing { get; set; }

    /// <summary>The peer may still be sending when the socket closes. Guarded by the gate.</summary>
    protected bool Lingers { get; set; }

    /// <inheritdoc cref="IRequestSlot.BeginEnd"/>
    public ResponseEnd BeginEnd(RequestSlot slot)
    {
        _gate.Enter();
        if (slot.Stage != RequestStage.Running)
        {
            return slot.End = ResponseEnd.None;
        }

        if (!slot.CanEndNow)
        {
            return slot.End = ResponseEnd.Stdout;
        }

        // The id is free before END_REQUEST leaves: the peer may begin it again the moment it reads that. The gate is
        // held meanwhile, so nothing comes between: no close, and no answer to the id's next request.
        Forget(slot);
        return slot.End = IsLastOfNginx(slot) ? ResponseEnd.RequestAndConnection : ResponseEnd.Request;
    }

    /// <inheritdoc cref="IRequestSlot.FinishEnd"/>
    public void FinishEnd(RequestSlot slot)
    {
        try
        {
            switch (slot.End)
            {
                case ResponseEnd.Stdout:
                    slot.Advance(RequestStage.Draining);
                    slot.BeginDrain(new BodyDrain(Server, this, slot));
                    break;
                case ResponseEnd.Request or ResponseEnd.RequestAndConnection:
                    IsClosing |= slot.End == ResponseEnd.RequestAndConnection || !slot.KeepConnection;

                    // The record that ends an empty body may still be on its way, and a peer that finds the socket
                    // closed by then gives up before it has read the answer.
                    Lingers |= (IsClosing || _stopping) && !slot.Request.Body.HasEnded;
                    CloseIfIdle();
                    break;
            }
        }
        finally
        {
            _gate.Exit();
        }
    }

    public void OnApplicationDone(RequestSlot slot)
    {
        bool recycle;
        lock (_gate)
        {
            recycle = slot.LeaveApplication();
        }

        if (recycle)
        {
            Recycle(slot);
        }
    }

    public void Tear(RequestSlot slot)
    {
        lock (_gate)
        {
            if (slot.Stage == RequestStage.Ended)
            {
                return;
            }

            LogTorn(Log, Id, slot.RequestId);
            IsClosing = true;

            // Without records a reset is all there is to tell of the break, and that must not follow an end of stream.
            Lingers = HasRecords;
            bool started = slot.Request.HasResponseStarted;
            AbortRequest(slot, FastCgiRequest.AbortedByApplication());
            AbortAll(FastCgiRequest.ConnectionLost());
            if (started)
            {
                SendBreak();
            }

            CloseIfIdle();
        }
    }

    public void Abort(string reason)
    {
        LogAborted(Log, Id, reason);
        End(ConnectionEndReason.AbortedByApplication, new ConnectionAbortedException(
            $"The FastCGI connection was aborted: {reason}."));
    }

    /// <summary>
    /// Names in the log what <see cref="AbortForStop"/> is about to abort: as many requests as
    /// <paramref name="unnamed"/> allows, which is less by them afterwards.
    /// </summary>
    public void NameForStop(ref int unnamed)
    {
        lock (_gate)
        {
            foreach (RequestSlot slot in Requests.ToArray())
            {
                if (unnamed-- > 0)
                {
                    LogAbortedByStop(
                        Log,
                        Id,
                        slot.RequestId,
                        slot.DescribeTarget(),
                        Server.TimeProvider.GetElapsedTime(slot.Request.BegunAt).TotalSeconds,
                        slot.DescribeState());
                }
            }
        }
    }

    /// <summary>The time for the stop is over.</summary>
    public void AbortForStop() => End(ConnectionEndReason.ServerTimeout, new ConnectionAbortedException(
        "The server stopped before the request had ended."));

    /// <summary>The body of a request whose answer is out has ended, or is given up.</summary>
    public void FinishDraining(RequestSlot slot)
    {
        lock (_gate)
        {
            if (slot.Stage != RequestStage.Draining)
            {
                return;
            }

            if (!slot.Request.Body.HasEnded)
            {
                // More of it may come at any moment: half-close, let the peer finish, never use the socket again.
                LogBodyNotDrained(Log, Id, slot.RequestId);
                IsClosing = true;
                Lingers = true;
            }

            IsClosing |= !slot.KeepConnection;
            SendEndRequest(slot.RequestId);
            Forget(slot);
            if (!slot.IsInApplication)
            {
                Recycle(slot);
            }

            CloseIfIdle();
        }
    }

    private void Lose(ConnectionEndReason reason) => End(reason, FastCgiRequest.ConnectionLost());

    /// <summary>Wrong bytes: whatever follows cannot be told apart any more.</summary>
    private void Drop(ProtocolViolation violation, ForeignProtocol? spoken)
    {
        LogProtocolViolation(Server.BadRequestLog, Id, ProtocolName, violation);
        if (spoken is not null)
        {
            if (!spoken.Answer.IsEmpty)
            {
                Output.SendCopy(spoken.Answer);
            }

            if (Server.ForeignProtocols.TryEnter(out long count))
            {
                LogForeignProtocol(
                    Server.BadRequestLog,
                    LocalEndPoint,
                    ProtocolName,
                    RemoteEndPoint?.ToString() ?? "a process of this machine",
                    spoken.Name,
                    spoken.Advice,
                    count);
            }
        }

        End(ConnectionEndReason.ProtocolViolation, FastCgiRequest.ConnectionLost());
    }

    private void End(ConnectionEndReason reason, Exception forRequests)
    {
        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            // At once: a request that began between the abort of all and the close would be nobody's to abort.
            _closed = true;
            AbortAll(forRequests);
            reason = reason == ConnectionEndReason.ConnectionReset && (_closeStarted || _inputEnded)
                ? ConnectionEndReason.ClientClosed
                : reason;
        }

        Release(reason);
    }

    /// <summary>Ends a request for good, whoever runs it: its application hears of it, its id is free.</summary>
    protected void AbortRequest(RequestSlot slot, Exception reason)
    {
        slot.Request.OnPeerAborted(reason);
        Forget(slot);
        if (!slot.IsInApplication)
        {
            Recycle(slot);
        }
    }

    private void AbortAll(Exception reason)
    {
        foreach (RequestSlot slot in Requests.ToArray())
        {
            AbortRequest(slot, reason);
        }
    }

    private void Recycle(RequestSlot slot)
    {
        _pool.Return(slot);
        Server.CloseRequest();
    }

    private void Forget(RequestSlot slot)
    {
        Requests.Remove(slot);
        slot.Forget();
        _idleSince = Server.Clock.Now;
    }

    /// <summary>Begins to close once nothing runs any more and no request is taken. Under the gate.</summary>
    protected void CloseIfIdle()
    {
        if (Requests.Count == 0 && !_closeStarted && !_closed && (IsClosing || (_stopping && !ExpectsRequest())))
        {
            IsClosing = true;
            _closeStarted = true;
            Output.WhenDrained(CloseAfterLastByte);
        }
    }

    private void CloseAfterLastByte()
    {
        lock (_gate)
        {
            if ((Lingers || PeerMultiplexes) && !_inputEnded && !_closed)
            {
                // To close with unread bytes would reset the socket, and the peer could lose the answer by it. A peer
                // that mixes requests may be sending the rest of one that it has aborted.
                _discarding = true;
                _lingerSince = Server.Clock.Now;
                _transport.ShutdownSend();
                return;
            }
        }

        Close(ConnectionEndReason.RequestsEnded);
    }

    /// <summary>For a connection without requests, on which none can begin any more.</summary>
    private void Close(ConnectionEndReason reason)
    {
        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            _closed = true;
        }

        Release(reason);
    }

    private void Release(ConnectionEndReason reason)
    {
        Output.Lose();
        _transport.Close();
        CancelTokens();
        if (Log.IsEnabled(LogLevel.Debug))
        {
            LogStopped(Log, Id, reason);
        }

        _owner.OnClosed(this, reason);
    }
}
