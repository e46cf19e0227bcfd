using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <content>Routing: applies each verdict of the wire to the request that it names, under the gate.</content>
internal sealed partial class PeerConnection
{
    private bool MayBeShared => _wire.HasRecords && _server.Limits.MaxConcurrentRequestsPerConnection > 1;

    bool IReadTarget.TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadyWork ready)
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
                // 4. Route: the wire cuts records, under the gate. After the last response, no record is answered.
                violation = Route(received, ref ready);
            }

            if (violation == ProtocolViolation.None)
            {
                CloseIfIdle();
                return true;
            }
        }

        Drop(violation, isFirst ? _wire.Recognise(received) : null);
        return false;
    }

    void IReadTarget.OnNothingReceived()
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _reader.EndReceive();
        CloseIfIdle();
    }

    /// <summary>
    /// Handles the end of the stream. On a unix socket only the peer's sending half may have ended: requests that came
    /// whole are answered, then the socket is closed. A request that is still arriving has lost its client.
    /// </summary>
    void IReadTarget.OnEndOfInput()
    {
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            _reader.EndReceive();
            _life.Close();
            EndInputOfRequests();
            if (_life.Phase != ConnectionPhase.Lingering && (_requests.Count > 0 || Output.HasUnsent))
            {
                Transport.PauseReading();
                CloseIfIdle();
                return;
            }
        }

        Close(_wire.IsBetweenRecords ? ConnectionEndReason.ClientClosed : ConnectionEndReason.ConnectionReset);
    }

    void IReadTarget.OnReset() => Lose(ConnectionEndReason.ConnectionReset);

    bool IReadTarget.TryPauseFor(FastCgiRequest request)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        return _requests.Contains(request) && request.Body.TryPause(_requests.MayPause);
    }

    void IReadTarget.OnAnswersUntaken() => ConnectionLogs.PeerDoesNotRead(Log, Id);

    /// <summary>Applies the received bytes. After a violation, the following bytes have no known meaning.</summary>
    private ProtocolViolation Route(ReadOnlySpan<byte> received, ref ReadyWork ready)
    {
        while (_wire.TryRead(ref received, out WireVerdict verdict))
        {
            ProtocolViolation violation = Route(verdict, ref ready);
            if (violation != ProtocolViolation.None)
            {
                return violation;
            }
        }

        return _wire.Violation;
    }

    private ProtocolViolation Route(scoped in WireVerdict verdict, ref ReadyWork ready)
    {
        switch (verdict.Event)
        {
            case WireEvent.Begin:
                return OnBegin(verdict, ref ready);
            case WireEvent.Answer:
                _requests.IsShared |= verdict.AsksForMultiplexing && MayBeShared;
                Output.SendAnswer(verdict.Content);
                return ProtocolViolation.None;
        }

        if (!_requests.TryGet(verdict.RequestId, out FastCgiRequest? request))
        {
            // The request has already ended.
            return ProtocolViolation.None;
        }

        bool isInParams = request.Stage == RequestStage.Params;
        switch (verdict.Event)
        {
            // A second end of the params must not dispatch the request again.
            case WireEvent.Params when isInParams:
                OnParams(request, verdict.Content, ref ready);
                break;
            case WireEvent.ParamsEnd when isInParams:
                OnParamsEnd(request, ref ready);
                break;
            case WireEvent.Stdin or WireEvent.StdinEnd when isInParams:
                return ProtocolViolation.StreamOrder;
            case WireEvent.Stdin:
                OnStdin(request, verdict.Content, ref ready);
                break;
            case WireEvent.StdinEnd:
                OnStdinEnd(request, ref ready);
                break;
            case WireEvent.Abort:
                OnAbort(request);
                break;
        }

        return ProtocolViolation.None;
    }

    private ProtocolViolation OnBegin(scoped in WireVerdict verdict, ref ReadyWork ready)
    {
        ushort id = verdict.RequestId;
        if (_requests.TryGet(id, out _))
        {
            return ProtocolViolation.RequestIdInUse;
        }

        bool isTaken = _life.TakesRequest(_requests.Count);
        if (!isTaken && _requests.Count == 0)
        {
            // Not answered: the socket closes now, and the web server tries another back end.
            return ProtocolViolation.None;
        }

        Volatile.Write(ref _begun, _begun + 1);
        if (verdict.Begin.Role is not (FastCgiRole.Responder or FastCgiRole.Authorizer))
        {
            Refuse(verdict, CgiRejection.UnknownRole, ProtocolStatus.UnknownRole);
        }
        else if (!isTaken
            || _requests.Count + _requests.Abandoned >= _server.Limits.MaxConcurrentRequestsPerConnection
            || _server.OpenRequest() is var admission && admission == RequestAdmission.Refused)
        {
            _server.CountRejectedRequest();
            Refuse(verdict, CgiRejection.Overloaded, ProtocolStatus.Overloaded);
        }
        else
        {
            // 5. Begin: BEGIN_REQUEST takes a request from the pool.
            FastCgiRequest request = _pool.Rent();
            request.Begin(this, id, verdict.Begin, admission);
            _requests.Add(request);
            Output.IsShared = _requests.IsShared;
            if (_requests.IsShared)
            {
                // nginx uses one id only, and does not multiplex.
                _life.Policy.LearnPeer(request.KeepConnection, isNginx: false);
            }

            if (verdict.HeadLength is { } length)
            {
                if (request.Head.TryBeginScgi(length))
                {
                    OnParams(request, verdict.Content, ref ready);
                }
                else
                {
                    MakeReady(request, ref ready);
                }
            }
        }

        return ProtocolViolation.None;
    }

    private void OnParams(FastCgiRequest request, ReadOnlySpan<byte> content, ref ReadyWork ready)
    {
        if (!request.Head.TryAppendParams(content))
        {
            _life.Close();
            MakeReady(request, ref ready);
        }
    }

    private void OnParamsEnd(FastCgiRequest request, ref ReadyWork ready)
    {
        request.CompleteHead();
        if (!_life.Policy.KnowsPeer)
        {
            _life.Policy.LearnPeer(request.KeepConnection, request.IsFromNginx);
        }

        request.Advance(RequestStage.AwaitingBody);

        // More than the body is on its way, and a close with unread bytes could cost the peer the answer.
        _life.Lingers |= request.Head.HasCutBody;
        EndBodyIfWhole(request, ref ready);
        MakeReadyIfBodyKnown(request, ref ready);
    }

    private void OnStdin(FastCgiRequest request, ReadOnlySpan<byte> content, ref ReadyWork ready)
    {
        ready.Add(request, request.Body.Receive(content, _requests.MayPause));
        if (request.Body.WantsPause(_requests.MayPause))
        {
            ready.SlowReader = request;
        }

        MakeReadyIfBodyKnown(request, ref ready);
        EndBodyIfWhole(request, ref ready);
    }

    private void OnStdinEnd(FastCgiRequest request, ref ReadyWork ready)
    {
        if (request.IsUpgraded && request.Body.Received == 0)
        {
            // This is the end of the body that the request did not have. Nothing of the upgraded stream has come yet.
            return;
        }

        bool isAwaited = request.Stage == RequestStage.AwaitingBody;
        EndBody(request, ref ready);
        if (isAwaited)
        {
            // Otherwise the request already runs, or it was drained and its object may serve another connection.
            MakeReadyIfBodyKnown(request, ref ready);
        }
    }

    /// <summary>FastCGI 1.0, section 5.4: sends END_REQUEST at once and frees the id.</summary>
    private void OnAbort(FastCgiRequest request)
    {
        ushort id = request.RequestId;
        ConnectionLogs.PeerAborted(Log, Id, id);
        bool keepsConnection = request.KeepConnection;
        _life.Lingers |= !request.Body.HasEnded;

        // Abort before END_REQUEST: no record of the request may follow it.
        AbortRequest(request, AbortReasons.ConnectionLost());
        SendEnd(id, ResponseEnd.RequestAlone);
        if (!keepsConnection)
        {
            _life.Close();
        }
    }

    /// <summary>Answers a request that is refused at its first record. The rest of it is still on its way.</summary>
    private void Refuse(scoped in WireVerdict verdict, CgiRejection reason, ProtocolStatus status)
    {
        ConnectionLogs.RequestRefused(Log, Id, verdict.RequestId, reason.Detail);
        SendRefusal(verdict.RequestId, reason, status, isHead: false);
        if (!verdict.Begin.KeepConnection)
        {
            _life.Close(lingers: true);
        }
    }

    /// <summary>Without records, a body ends at CONTENT_LENGTH, unless the request is upgraded.</summary>
    private void EndBodyIfWhole(FastCgiRequest request, ref ReadyWork ready)
    {
        if (!_wire.HasRecords && !request.IsUpgraded && request.Body.IsWhole && !request.Body.HasEnded)
        {
            EndBody(request, ref ready);
        }
    }

    private void EndBody(FastCgiRequest request, ref ReadyWork ready)
    {
        ready.Add(request, request.Body.ReceiveEnd());
        if (request.Stage == RequestStage.Draining)
        {
            FinishDraining(request);
        }
    }

    private static void MakeReadyIfBodyKnown(FastCgiRequest request, ref ReadyWork ready)
    {
        if (request.Stage == RequestStage.AwaitingBody && request.IsBodyKnown)
        {
            MakeReady(request, ref ready);
        }
    }

    private static void MakeReady(FastCgiRequest request, ref ReadyWork ready)
    {
        // 8. Ready: the request waits until the read ends.
        request.Open();
        ready.Add(request);
    }
}
