using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Connections;

/// <content>
/// Ending: the steps from the last request to the closed socket. Flushes, half-closes and lingers if the peer may still
/// send, closes, and notifies the tokens and the set of connections.
/// </content>
internal sealed partial class PeerConnection
{
    // Guarded by the gate. Created when an application first asks for one.
    private CancellationTokenSource? _closed;
    private CancellationTokenSource? _closeRequested;

    // Guarded by the gate. True if the client has ended its upgraded connection.
    private bool _hasClientLeft;

    public CancellationToken Closed
    {
        get
        {
            using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
            return Token(ref _closed, _life.Phase == ConnectionPhase.Closed);
        }
    }

    public CancellationToken CloseRequested
    {
        get
        {
            using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
            return Token(ref _closeRequested, _life.IsEnding);
        }
    }

    public void RequestClose()
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _life.Close();
        Cancel(_closeRequested);
        CloseIfIdle();
    }

    /// <summary>
    /// The server stops. The connection closes as soon as no request runs and none is on its way. From now on it takes
    /// a request only if the web server could not know of the stop.
    /// </summary>
    public void CloseForStop()
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _life.Stop();
        Cancel(_closeRequested);
        CloseIfIdle();
    }

    /// <summary>Ends the connection because the time for the stop is over.</summary>
    public void AbortForStop() => Terminate(ConnectionEndReason.StopTimeout, new ConnectionAbortedException(
        "The server stopped before the request had ended."));

    public void Abort(string reason)
    {
        ConnectionLogs.ConnectionAborted(Log, Id, reason);
        Terminate(ConnectionEndReason.AbortedByApplication, new ConnectionAbortedException(
            $"The FastCGI connection was aborted: {reason}."));
    }

    /// <summary>The token of the source. A late caller gets a cancelled token, without waiting for a thread.</summary>
    private static CancellationToken Token(ref CancellationTokenSource? source, bool isCancelled) => isCancelled
        ? new CancellationToken(canceled: true)
        : (source ??= new CancellationTokenSource()).Token;

    private void Cancel(CancellationTokenSource? source)
    {
        if (source is not null)
        {
            EndingThreads.Cancel(source, Log);
        }
    }

    /// <summary>Begins to close if no request runs and none is expected. Under the gate.</summary>
    private void CloseIfIdle()
    {
        bool isStopping = _life.Phase == ConnectionPhase.Open && _life.IsStopping;
        if (_requests.Count > 0 || !(isStopping || _life.Phase == ConnectionPhase.Closing))
        {
            return;
        }

        if (isStopping && ExpectsRequest())
        {
            TryAskToClose();
            return;
        }

        _life.TryAdvance(ConnectionPhase.Closing);
        _life.TryAdvance(ConnectionPhase.Flushing);
        Output.WhenDrained(CloseAfterLastByte);
    }

    /// <summary>Asks nginx to close a kept connection. A request that it has sent is served. Under the gate.</summary>
    /// <returns>False if the peer is not nginx or has already been asked.</returns>
    private bool TryAskToClose()
    {
        bool asks = _life.TryAskToClose();
        if (asks)
        {
            SendEnd(RequestTable.OnlyId, ResponseEnd.ConnectionAlone);
        }

        return asks;
    }

    /// <summary>Closes a connection that has no requests and takes none.</summary>
    private void Close(ConnectionEndReason reason)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            if (!_life.TryAdvance(ConnectionPhase.Closed))
            {
                return;
            }
        }

        Release(reason);
    }

    /// <summary>Ends the connection and aborts all its requests.</summary>
    private void Terminate(ConnectionEndReason reason, Exception forRequests)
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            if (reason == ConnectionEndReason.ConnectionReset && MayPeerLeave())
            {
                reason = ConnectionEndReason.ClientClosed;
            }

            if (!_life.TryAdvance(ConnectionPhase.Closed))
            {
                return;
            }

            // The phase changes first: a request that began between the aborts and the close would never end.
            if (reason is ConnectionEndReason.ConnectionReset or ConnectionEndReason.ClientClosed)
            {
                AbortAllRequests(forRequests);
            }
            else
            {
                BreakOffAll(forRequests);
            }
        }

        Release(reason);
    }

    /// <summary>
    /// True if the end of the connection loses nothing: no request is running and no answer is unsent, or the client
    /// has left its upgraded connection. A peer that closes looks the same as one that fails. Under the gate.
    /// </summary>
    private bool MayPeerLeave()
    {
        bool isAllSent = !Output.HasUnsent && !HasLostBytes;
        return (_life.Phase >= ConnectionPhase.Flushing && isAllSent)
            || (_requests.Count == 0 ? _wire.IsBetweenRecords && isAllSent : AreAllUpgraded());
    }

    /// <summary>True if a send has failed. Bytes for a client that has left do not count.</summary>
    private bool HasLostBytes => Output.IsLost && !_hasClientLeft;

    /// <summary>Under the gate.</summary>
    private bool AreAllUpgraded() => Array.TrueForAll(_requests.ToArray(), static request => request.IsUpgraded);

    /// <summary>Ends a connection whose socket is lost or given up.</summary>
    private void Lose(ConnectionEndReason reason) => Terminate(reason, AbortReasons.ConnectionLost());

    /// <summary>
    /// Handles a send that found the socket lost. The client of an upgraded connection may have left after it sent
    /// bytes that the application still reads. Then the end of the connection comes after these bytes.
    /// </summary>
    private void LoseOutput()
    {
        bool isReadOn;
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            isReadOn = _requests.Count > 0 && AreAllUpgraded() && _reader.HasArrived();
        }

        if (isReadOn)
        {
            Output.Lose();
        }
        else
        {
            Lose(ConnectionEndReason.ConnectionReset);
        }
    }

    /// <summary>Ends a connection whose peer sent wrong bytes: the bytes that follow have no known meaning.</summary>
    private void Drop(ProtocolViolation violation, ForeignProtocolAdvice? spoken)
    {
        ConnectionLogs.ProtocolViolation(_server.BadRequestLog, Id, _wire.Name, violation);
        if (spoken is { Answer.Length: > 0 })
        {
            Output.SendAnswer(spoken.Answer);
        }

        if (spoken is not null && _server.ForeignProtocols.TryEnter(out long count))
        {
            string peer = Transport.RemoteEndPoint?.ToString() ?? "a process of this machine";
            ConnectionLogs.ForeignProtocol(
                _server.BadRequestLog, Transport.LocalEndPoint, _wire.Name, peer, spoken.Name, spoken.Advice, count);
        }

        Lose(ConnectionEndReason.ProtocolViolation);
    }

    /// <summary>
    /// During a stop: true if there is, or must be, something to read. The thread that reads it checks again whether
    /// the connection has to end.
    /// </summary>
    private bool ExpectsRequest() =>
        _life.Policy.ExpectsRequest(_begun > 0, _wire.IsBetweenRecords) || _reader.HasArrived();

    private void CloseAfterLastByte()
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            bool maySend = _life.Lingers || _requests.IsShared || !_wire.IsBetweenRecords;
            if (maySend && !_reader.HasEnded && _life.Phase != ConnectionPhase.Closed)
            {
                // A close with unread bytes would reset the socket, and the reset could cost the peer the answer. A
                // peer that mixes requests may still send the rest of an aborted request. Any peer may still send the
                // padding of its last record.
                _life.TryAdvance(ConnectionPhase.Lingering);
                Transport.ShutdownSend();
                return;
            }
        }

        Close(HasLostBytes ? ConnectionEndReason.ConnectionReset : ConnectionEndReason.RequestsEnded);
    }

    /// <summary>Releases the connection. Called once, by the caller that moved it to Closed.</summary>
    private void Release(ConnectionEndReason reason)
    {
        Output.Lose();
        Transport.Close();
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            Cancel(_closeRequested);
            Cancel(_closed);
            CountAsOrdinary(false);
            reason = _endReason ?? reason;
        }

        if (Log.IsEnabled(LogLevel.Debug))
        {
            ConnectionLogs.ConnectionStop(Log, Id, reason);
        }

        _onClosed(this, reason);
    }
}
