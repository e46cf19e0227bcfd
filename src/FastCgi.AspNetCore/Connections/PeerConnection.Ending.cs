using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
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

    public bool TryEndRequest(FastCgiRequest request, ProtocolStatus status)
    {
        lock (_gate)
        {
            if (request.Stage != RequestStage.Running || !request.CanEndNow)
            {
                return false;
            }

            // The id is free before END_REQUEST leaves: the peer may begin it again the moment it reads that. Both under
            // the gate, so that nothing comes between them: not a close, and no answer to a request that has the id
            // next because its peer did not wait.
            Forget(request);
            bool isLast = IsLastOfNginx(request);
            request.SendEnd(status, isLast);
            IsClosing |= isLast || !request.KeepConnection;

            // The record that ends an empty body may still be on its way, and a peer that finds the socket closed by then
            // gives up before it has read the answer.
            Lingers |= (IsClosing || _stopping) && !request.Body.HasEnded;
            CloseIfIdle();
            return true;
        }
    }

    public void AwaitEndOfBody(FastCgiRequest request)
    {
        lock (_gate)
        {
            if (request.Stage != RequestStage.Running)
            {
                return;
            }

            request.Stage = RequestStage.Draining;
            if (request.CanEndNow)
            {
                FinishDraining(request);
            }
            else
            {
                request.Drain = new BodyDrain(Server, this, request);
            }
        }
    }

    public void OnApplicationDone(FastCgiRequest request)
    {
        bool recycle;
        lock (_gate)
        {
            request.IsInApplication = false;
            recycle = request.Stage == RequestStage.Ended;
        }

        if (recycle)
        {
            Recycle(request);
        }
    }

    public void Tear(FastCgiRequest request)
    {
        lock (_gate)
        {
            if (request.Stage == RequestStage.Ended)
            {
                return;
            }

            LogTorn(Log, Id, request.RequestId);
            IsClosing = true;

            // Without records a reset is all there is to tell of the break, and that must not follow an end of stream.
            Lingers = HasRecords;
            bool started = request.HasResponseStarted;
            AbortRequest(request, FastCgiRequest.AbortedByApplication());
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
            foreach (FastCgiRequest request in Requests.ToArray())
            {
                if (unnamed-- > 0)
                {
                    LogAbortedByStop(
                        Log,
                        Id,
                        request.RequestId,
                        request.DescribeTarget(),
                        Server.TimeProvider.GetElapsedTime(request.BegunAt).TotalSeconds,
                        request.DescribeState());
                }
            }
        }
    }

    /// <summary>The time for the stop is over.</summary>
    public void AbortForStop() => End(ConnectionEndReason.ServerTimeout, new ConnectionAbortedException(
        "The server stopped before the request had ended."));

    /// <summary>The body of a request whose answer is out has ended, or is given up.</summary>
    public void FinishDraining(FastCgiRequest request)
    {
        lock (_gate)
        {
            if (request.Stage != RequestStage.Draining)
            {
                return;
            }

            if (!request.Body.HasEnded)
            {
                // More of it may come at any moment: half-close, let the peer finish, never use the socket again.
                LogBodyNotDrained(Log, Id, request.RequestId);
                IsClosing = true;
                Lingers = true;
            }

            IsClosing |= !request.KeepConnection;
            SendEndRequest(request.RequestId);
            Forget(request);
            if (!request.IsInApplication)
            {
                Recycle(request);
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
    protected void AbortRequest(FastCgiRequest request, Exception reason)
    {
        request.OnPeerAborted(reason);
        Forget(request);
        if (!request.IsInApplication)
        {
            Recycle(request);
        }
    }

    private void AbortAll(Exception reason)
    {
        foreach (FastCgiRequest request in Requests.ToArray())
        {
            AbortRequest(request, reason);
        }
    }

    private void Recycle(FastCgiRequest request)
    {
        _pool.Return(request);
        Server.CloseRequest();
    }

    private void Forget(FastCgiRequest request)
    {
        Requests.Remove(request);
        request.Stage = RequestStage.Ended;
        request.EndDrain();
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
