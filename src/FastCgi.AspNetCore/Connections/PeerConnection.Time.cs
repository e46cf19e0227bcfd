using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <content>Time: what the heartbeat does to the connection and to its requests.</content>
internal sealed partial class PeerConnection
{
    private int _tickIsQueued; // 1 while a tick waits for the gate on another thread.

    /// <summary>
    /// The client has left its upgraded connection, and the application has read nothing of what is still there for
    /// longer than SendTimeout, see <see cref="LoseOutput"/>.
    /// </summary>
    private bool HasLeftUnread => Output.IsLost && _reader.HasPausedFor(_server.Limits.SendTimeout);

    /// <summary>
    /// Judges a connection by its time limits. It waits for nothing, since all connections share this thread: what
    /// ends a connection goes to another thread, and so does a tick that finds the gate taken.
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
            // Not left to the next tick: a busy gate could hide a timeout for as long as it is busy.
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
                Queue(static connection => connection.LoseSlow());
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
    /// The socket has waited too long for the body of <paramref name="slow"/>. If another request may stand behind the
    /// body, the socket is read on, and the body goes through a temporary file.
    /// </summary>
    private void ReadPast(FastCgiRequest? slow)
    {
        if (slow is not null && _requests.Contains(slow) && MayBeShared && slow.MayHaveCompany)
        {
            slow.Body.TryReadAhead();
        }
    }

    /// <summary>Judges a connection without requests by the time it has been idle. Under the gate.</summary>
    /// <returns>Why the caller has to close it, without the gate; null for not yet.</returns>
    private ConnectionEndReason? TickIdle()
    {
        CloseIfIdle();
        if (_life.HasExpectedInVain && !_reader.HasArrived())
        {
            // Under the gate: between the judgement and the close no request may begin.
            _life.Close();
            CloseIfIdle();
            return null;
        }

        if (Output.HasUnsent)
        {
            // The peer still takes a response, and SendTimeout watches how: it is idle when it has all of it.
            _life.BeginIdle();
            return null;
        }

        if (_life.TimedOut() is not { } reason
            || (reason == ConnectionEndReason.KeepAliveTimeout && (_reader.HasArrived() || TryAskToClose())))
        {
            return null;
        }

        // No request may begin meanwhile.
        _life.Close();
        _endReason ??= reason;
        return reason;
    }

    /// <summary>A request whose params do not end in time is answered, and its connection takes no other.</summary>
    /// <returns>False: the peer takes a response more slowly than it has to.</returns>
    private bool TryTickRequests()
    {
        bool isFast = true;
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            if (!_requests.Contains(request))
            {
                // A response that broke off has ended this request too, and the request may serve another connection.
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

                // It is the first byte of a body without a length that does not come. From here on it counts as every
                // body does: while the application reads it.
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
                isFast &= request.OnTick(_server.Clock);
            }
        }

        return isFast;
    }

    /// <summary>RequestTimeout is over: 504 if nothing of the response has left, else it breaks off.</summary>
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

        Span<byte> answer = stackalloc byte[1024];
        int length = _wire.WriteRefusal(
            answer, id, CgiRejection.RequestTimeout, ProtocolStatus.RequestComplete, isHead);
        Output.SendAnswer(answer[..length]);
        if (hasBody || !keepsConnection)
        {
            _life.Close(lingers: hasBody);
        }
    }

    private bool HasRunFor(FastCgiRequest request, TimeSpan limit) => request.Stage == RequestStage.Running
        && !request.IsUpgraded
        && _server.Clock.HasPassed(limit, request.BegunAt);

    /// <summary>Names a request in the log, once, that has run for SlowRequestAfter.</summary>
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
        request.DescribeWait());

    /// <summary>The peer takes a response more slowly than it has to.</summary>
    private void LoseSlow()
    {
        ConnectionLogs.ResponseMinimumDataRateNotSatisfied(Log, Id);
        Lose(ConnectionEndReason.MinResponseDataRate);
    }
}
