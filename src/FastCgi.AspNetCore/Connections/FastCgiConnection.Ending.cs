using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The end of a request and the end of the connection. Exactly one END_REQUEST for each BEGIN_REQUEST.</summary>
internal sealed partial class FastCgiConnection
{
    // Guarded by the gate.
    private bool _closing;
    private bool _closeStarted;
    private bool _discarding;
    private bool _linger;
    private bool _closed;

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
            request.SendEnd(status);
            _closing |= !request.KeepConnection;
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
                request.Drain = new BodyDrain(_server, this, request);
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
            _closing = true;
            _linger = true;
            bool started = request.HasResponseStarted;
            AbortRequest(request, FastCgiRequest.AbortedByApplication());
            AbortAll(FastCgiRequest.ConnectionLost());
            if (started)
            {
                SendInvalidRecord();
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
            foreach (FastCgiRequest request in _requests.ToArray())
            {
                if (unnamed-- > 0)
                {
                    LogAbortedByStop(
                        Log,
                        Id,
                        request.RequestId,
                        request.DescribeTarget(),
                        _server.TimeProvider.GetElapsedTime(request.BegunAt).TotalSeconds,
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
                _closing = true;
                _linger = true;
            }

            _closing |= !request.KeepConnection;
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
        LogProtocolViolation(_server.BadRequestLog, Id, violation);
        if (spoken is not null)
        {
            if (!spoken.Answer.IsEmpty)
            {
                _output.SendCopy(spoken.Answer);
            }

            if (_server.ForeignProtocols.TryEnter(out long count))
            {
                LogForeignProtocol(
                    _server.BadRequestLog, LocalEndPoint, spoken.Name, RemoteEndPoint, spoken.Advice, count);
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

            AbortAll(forRequests);
            reason = reason == ConnectionEndReason.ConnectionReset && (_closeStarted || _inputEnded)
                ? ConnectionEndReason.ClientClosed
                : reason;
        }

        Close(reason);
    }

    /// <summary>Ends a request for good, whoever runs it: its application hears of it, its id is free.</summary>
    private void AbortRequest(FastCgiRequest request, Exception reason)
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
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            AbortRequest(request, reason);
        }
    }

    private void Recycle(FastCgiRequest request)
    {
        _pool.Return(request);
        _server.CloseRequest();
    }

    private void Forget(FastCgiRequest request)
    {
        _requests.Remove(request);
        request.Stage = RequestStage.Ended;
        request.EndDrain();
        _idleSince = _server.Clock.Now;
    }

    /// <summary>Begins to close once nothing runs any more and no request is taken. Under the gate.</summary>
    private void CloseIfIdle()
    {
        if (_requests.Count == 0 && !_closeStarted && !_closed && (_closing || (_stopping && !ExpectsRequest())))
        {
            _closing = true;
            _closeStarted = true;
            _output.WhenDrained(CloseAfterLastByte);
        }
    }

    private void CloseAfterLastByte()
    {
        lock (_gate)
        {
            if ((_linger || _peerMultiplexes) && !_inputEnded && !_closed)
            {
                // To close with unread bytes would reset the socket, and the peer could lose the answer by it. A peer
                // that mixes requests may be sending the rest of one that it has aborted.
                _discarding = true;
                _lingerSince = _server.Clock.Now;
                _transport.ShutdownSend();
                return;
            }
        }

        Close(ConnectionEndReason.RequestsEnded);
    }

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

        _output.Lose();
        _transport.Close();
        CancelTokens();
        if (Log.IsEnabled(LogLevel.Debug))
        {
            LogStopped(Log, Id, reason);
        }

        _owner.OnClosed(this, reason);
    }
}
