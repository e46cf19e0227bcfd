using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <content>Time: applies the time limits of the connection and of its requests at each heartbeat.</content>
internal sealed partial class PeerConnection
{
    private int _tickIsQueued; // 1 while a tick waits for the gate on another thread.

    /// <summary>
    /// True if the client has left its upgraded connection, and the application has not read the remaining bytes for
    /// longer than SendTimeout. See <see cref="LoseOutput"/>.
    /// </summary>
    private bool HasLeftUnread => Output.IsLost && _reader.HasPausedFor(_server.Limits.SendTimeout);

    /// <summary>
    /// Applies the time limits. Never waits, because all connections share this thread: the end of a connection runs on
    /// another thread, and so does a tick that finds the gate taken.
    /// </summary>
    public void OnHeartbeat()
    {
        if ((_reader.IsBlind && Transport.IsPeerGone()) || HasLeftUnread)
        {
            Queue(static connection => connection.Lose(ConnectionEndReason.ConnectionReset));
        }
        else if (Output.IsStuck)
        {
            ConnectionLogs.SendTimedOut(Log, Id);
            Queue(static connection => connection.Lose(ConnectionEndReason.SendTimeout));
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
            // Not left to the next tick: a gate that is often taken could hide a timeout for a long time.
            Queue(static connection => connection.TickLater());
        }
    }

    /// <summary>Under the gate.</summary>
    private void Tick()
    {
        if (_requests.Count > 0)
        {
            if (!TryTickRequests())
            {
                ConnectionLogs.ResponseMinimumDataRateNotSatisfied(Log, Id);
                Queue(static connection => connection.Lose(ConnectionEndReason.MinResponseDataRate));
            }

            ReadPast(_reader.SlowReader);
            CloseIfIdle();
        }
        else if (TickIdle() is { } reason)
        {
            Queue(connection => connection.Close(reason));
        }
    }

    private void TickLater()
    {
        Volatile.Write(ref _tickIsQueued, 0);
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        Tick();
    }

    /// <summary>
    /// Called when the socket has waited too long for the reader of the body of <paramref name="slow"/>. If another
    /// request may follow the body, the socket is read again and the body goes to a temporary file.
    /// </summary>
    private void ReadPast(FastCgiRequest? slow)
    {
        if (slow is not null && _requests.Contains(slow) && MayBeShared && slow.MayHaveCompany)
        {
            slow.Body.TryReadAhead();
        }
    }

    /// <summary>Applies the time limits to a connection without requests. Under the gate.</summary>
    /// <returns>The reason for which the caller must close it, outside the gate; null to keep it.</returns>
    private ConnectionEndReason? TickIdle()
    {
        CloseIfIdle();
        if (_life.HasExpectedInVain && !_reader.HasArrived())
        {
            // Under the gate: no request may begin between the decision and the close.
            _life.Close();
            CloseIfIdle();
            return null;
        }

        if (Output.HasUnsent)
        {
            // The peer is still taking a response, limited by SendTimeout. Idle time begins when it has all of it.
            _life.BeginIdle();
            return null;
        }

        if (_life.TimedOut() is not { } reason
            || (reason == ConnectionEndReason.KeepAliveTimeout && (_reader.HasArrived() || TryAskToClose())))
        {
            return null;
        }

        // No request may begin before the caller closes the connection.
        _life.Close();
        _endReason ??= reason;
        return reason;
    }

    /// <summary>Ticks each request. If params come too late, the answer is the last of the connection.</summary>
    /// <returns>False if the peer takes a response more slowly than the minimum rate.</returns>
    private bool TryTickRequests()
    {
        bool isFast = true;
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            if (!_requests.Contains(request))
            {
                // A torn response has ended this request too, and its object may serve another connection.
                continue;
            }

            if (request.Stage is RequestStage.Params or RequestStage.AwaitingBody
                && _server.Clock.HasPassed(_server.Limits.RequestHeadersTimeout, request.BegunAt))
            {
                if (request.Stage == RequestStage.Params)
                {
                    _life.Close();
                    request.Head.Reject(CgiRejection.ParamsTimeout);
                    request.Open();
                    request.RunRejected();
                    continue;
                }

                // The missing byte is the first one of a body without a length. From here on, the rules for all bodies
                // apply: they count while the application reads.
                request.Open();
                request.RunElsewhere();
            }
            else if (HasRunFor(request, _server.Limits.RequestTimeout))
            {
                TimeOut(request);
            }
            else
            {
                TellSlow(request);
                isFast &= request.OnTick();
            }
        }

        return isFast;
    }

    /// <summary>Applies RequestTimeout: 504 if nothing of the response has left, otherwise an abort.</summary>
    private void TimeOut(FastCgiRequest request)
    {
        bool hasBody = !request.Body.HasEnded;
        bool keepsConnection = request.KeepConnection;
        bool isHead = request.Head.Cgi.IsHead;
        ushort id = request.RequestId;
        var (identifier, target, seconds, state) = DescribeSlow(request);
        bool hasLeft = request.OnPeerAborted(AbortReasons.TimedOut());
        string outcome = hasLeft ? "The response was aborted." : "The answer was 504.";
        ConnectionLogs.RequestTimedOut(Log, Id, identifier, target, seconds, state, outcome);
        ForgetAndRecycle(request);
        if (hasLeft)
        {
            BreakOff(hasStarted: true, ConnectionEndReason.RequestTimeout);
            return;
        }

        SendRefusal(id, CgiRejection.RequestTimeout, ProtocolStatus.RequestComplete, isHead);
        if (hasBody || !keepsConnection)
        {
            _life.Close(lingers: hasBody);
        }
    }

    private bool HasRunFor(FastCgiRequest request, TimeSpan limit) => request.Stage == RequestStage.Running
        && !request.IsUpgraded
        && _server.Clock.HasPassed(limit, request.BegunAt);

    /// <summary>Logs a request, once, that has run for SlowRequestAfter.</summary>
    private void TellSlow(FastCgiRequest request)
    {
        if (!request.IsToldSlow && _server.Options.SlowRequestAfter is { } limit && HasRunFor(request, limit))
        {
            request.IsToldSlow = true;
            _server.CountSlowRequest();
            var (identifier, target, seconds, state) = DescribeSlow(request);
            ConnectionLogs.SlowRequest(_server.SlowLog, Id, identifier, target, seconds, state);
        }
    }

    private (string Identifier, string Target, double Seconds, string State) DescribeSlow(FastCgiRequest request) => (
        request.TraceIdentifier ?? "-",
        request.DescribeTarget(),
        _server.Clock.Since(request.BegunAt).TotalSeconds,
        request.DescribeState());
}
