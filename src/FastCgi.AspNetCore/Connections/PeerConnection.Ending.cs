using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Connections;

/// <content>
/// Ending: the steps from the last request to the closed socket. Flush, half-close and linger where the peer may still
/// send, close, and tell the tokens and the set of connections.
/// </content>
internal sealed partial class PeerConnection
{
    // Guarded by the gate. Made when an application first asks for one.
    private CancellationTokenSource? _closed;
    private CancellationTokenSource? _closeRequested;

    // Under the gate. The client has ended its upgraded connection.
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

    /// <summary>Takes no further request; ends now if none runs, else after the last one.</summary>
    public void RequestClose()
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _life.Close();
        Cancel(_closeRequested);
        CloseIfIdle();
    }

    /// <summary>
    /// The server stops. The connection closes as soon as nothing runs and nothing is on its way: a request is taken
    /// only where its web server could not know of the stop.
    /// </summary>
    public void CloseForStop()
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _life.Stop();
        Cancel(_closeRequested);
        CloseIfIdle();
    }

    /// <summary>The time for the stop is over.</summary>
    public void AbortForStop() => Terminate(ConnectionEndReason.StopTimeout, new ConnectionAbortedException(
        "The server stopped before the request had ended."));

    /// <summary>Closes the socket at once, whatever else runs on it.</summary>
    public void Abort(string reason)
    {
        ConnectionLogs.ConnectionAborted(Log, Id, reason);
        Terminate(ConnectionEndReason.AbortedByApplication, new ConnectionAbortedException(
            $"The FastCGI connection was aborted: {reason}."));
    }

    /// <summary>A token that is asked for late is cancelled already, and waits for no other thread.</summary>
    private static CancellationToken Token(ref CancellationTokenSource? source, bool isCancelled) => isCancelled
        ? new CancellationToken(canceled: true)
        : (source ??= new CancellationTokenSource()).Token;

    private void Cancel(CancellationTokenSource? source)
    {
        if (source is not null)
        {
            TokenCancellation.Queue(source, Log);
        }
    }

    /// <summary>Begins to close if no request runs and none is to come. Under the gate.</summary>
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

    /// <summary>
    /// Asks nginx to close a connection that it keeps. A request that it has sent by then is served. Under the gate.
    /// </summary>
    /// <returns>False: the peer is not nginx, or has been asked.</returns>
    private bool TryAskToClose()
    {
        bool asks = _life.TryAskToClose();
        if (asks)
        {
            Span<byte> record = stackalloc byte[FastCgiConstants.HeaderSize];
            Output.SendAnswer(record[.._wire.WriteCloseHint(record, RequestTable.OnlyId)]);
        }

        return asks;
    }

    /// <summary>For a connection without requests, on which none can begin any more.</summary>
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

    /// <summary>Ends the connection whatever runs on it.</summary>
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

            // Closed first: a request that began between the abort of all and the close would stay.
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
    /// Nothing is lost: no request is under way and no answer unsent, or the client has left its upgraded connection. A
    /// peer that closes leaves in the same way as one that fails. Under the gate.
    /// </summary>
    private bool MayPeerLeave()
    {
        bool isAllSent = !Output.HasUnsent && !HasLostBytes;
        return (_life.Phase >= ConnectionPhase.Flushing && isAllSent)
            || (_requests.Count == 0 ? _wire.IsBetweenRecords && isAllSent : AreAllUpgraded());
    }

    /// <summary>A send has failed. What a client that has left would have got does not count.</summary>
    private bool HasLostBytes => Output.IsLost && !_hasClientLeft;

    /// <summary>Under the gate.</summary>
    private bool AreAllUpgraded() => Array.TrueForAll(_requests.ToArray(), static request => request.IsUpgraded);

    /// <summary>The socket is lost, or given up.</summary>
    private void Lose(ConnectionEndReason reason) => Terminate(reason, AbortReasons.ConnectionLost());

    /// <summary>
    /// A send found the socket lost. A client that left an upgraded connection may have sent bytes that its application
    /// still reads: the end of the connection is behind them.
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

    /// <summary>Wrong bytes: what follows cannot be told apart any more.</summary>
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
    /// In a stop: whether there is, or must be, something to read. Whoever reads it looks for the end of the connection
    /// again.
    /// </summary>
    private bool ExpectsRequest() =>
        _life.ExpectsRequest(_begun > 0, _wire.IsBetweenRecords) || _reader.HasArrived();

    private void CloseAfterLastByte()
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            bool maySend = _life.Lingers || _requests.IsShared || !_wire.IsBetweenRecords;
            if (maySend && !_reader.HasEnded && _life.Phase != ConnectionPhase.Closed)
            {
                // To close with unread bytes would reset the socket, and the peer could lose the answer by it. A peer
                // that mixes requests may be sending the rest of one that it has aborted, another one the padding of
                // its last record.
                _life.TryAdvance(ConnectionPhase.Lingering);
                Transport.ShutdownSend();
                return;
            }
        }

        Close(HasLostBytes ? ConnectionEndReason.ConnectionReset : ConnectionEndReason.RequestsEnded);
    }

    /// <summary>Once, by the caller that made the connection closed.</summary>
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
