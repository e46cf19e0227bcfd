using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Applies each verdict of the wire to the request that it names. Everything here runs under the gate; the connection
/// looks afterwards whether it has to close.
/// </summary>
internal sealed class RequestRouter(
    ServerContext server,
    ISlotHost host,
    IWireProtocol wire,
    SlotTable slots,
    ConnectionLife life,
    RequestEndings endings,
    RequestPool pool)
{
    /// <summary>A violation: the bytes that follow have no agreed meaning.</summary>
    public ProtocolViolation Route(ReadOnlySpan<byte> received, ref ReadYield yield)
    {
        while (wire.TryRead(ref received, out WireVerdict verdict))
        {
            ProtocolViolation violation = Route(verdict, ref yield);
            if (violation != ProtocolViolation.None)
            {
                return violation;
            }
        }

        return wire.Violation;
    }

    /// <summary>
    /// The socket has waited too long for the body of <paramref name="slow"/>. If another request may stand behind the
    /// body, the socket is read on, and the body goes through a temporary file.
    /// </summary>
    public void ReadPast(RequestSlot? slow)
    {
        if (slow is not null && slots.Contains(slow) && MayBeShared && slow.MayHaveCompany)
        {
            slow.Request.Body.TryReadAhead();
        }
    }

    private bool MayBeShared => wire.HasRecords && server.Limits.MaxConcurrentRequestsPerConnection > 1;

    private ProtocolViolation Route(scoped in WireVerdict verdict, ref ReadYield yield)
    {
        switch (verdict.Event)
        {
            case WireEvent.Begin:
                return OnBegin(verdict, ref yield);
            case WireEvent.Params:
                OnParams(verdict, ref yield);
                return ProtocolViolation.None;
            case WireEvent.ParamsEnd:
                OnParamsEnd(verdict.RequestId, ref yield);
                return ProtocolViolation.None;
            case WireEvent.Stdin:
                return OnStdin(verdict, ref yield);
            case WireEvent.StdinEnd:
                return OnStdinEnd(verdict.RequestId, ref yield);
            case WireEvent.Abort:
                OnAbort(verdict.RequestId);
                return ProtocolViolation.None;
            default:
                slots.IsShared |= verdict.AsksForMultiplexing && MayBeShared;
                host.Output.SendAnswer(verdict.Content);
                return ProtocolViolation.None;
        }
    }

    private ProtocolViolation OnBegin(scoped in WireVerdict verdict, ref ReadYield yield)
    {
        ushort id = verdict.RequestId;
        if (slots.TryGet(id, out _))
        {
            return ProtocolViolation.RequestIdInUse;
        }

        bool isTaken = life.TakesRequest(slots.Count);
        if (!isTaken && slots.Count == 0)
        {
            // Left unanswered: the web server tries another back end when the socket closes, which it does now.
            return ProtocolViolation.None;
        }

        slots.Begun++;
        if (verdict.Begin.Role is not (FastCgiRole.Responder or FastCgiRole.Authorizer))
        {
            Refuse(verdict, CgiRejection.UnknownRole, ProtocolStatus.UnknownRole);
        }
        else if (!isTaken
            || slots.Count + slots.Abandoned >= server.Limits.MaxConcurrentRequestsPerConnection
            || server.OpenRequest() is var admission && admission == RequestAdmission.Refused)
        {
            server.CountRejectedRequest();
            Refuse(verdict, CgiRejection.Overloaded, ProtocolStatus.Overloaded);
        }
        else
        {
            // 5. Begin: BEGIN_REQUEST takes a slot from the pool.
            RequestSlot slot = pool.Rent();
            slot.Begin(host, id, verdict.Begin, admission);
            slots.Add(slot);
            host.Output.IsShared = slots.IsShared;
            if (verdict.HeadLength is { } length)
            {
                if (!slot.Request.Head.TryBeginScgi(length))
                {
                    MakeReady(slot, ref yield);
                }

                OnParams(verdict, ref yield);
            }
        }

        return ProtocolViolation.None;
    }

    private void OnParams(scoped in WireVerdict verdict, ref ReadYield yield)
    {
        if (!slots.TryGet(verdict.RequestId, out RequestSlot? slot) || slot.Stage != RequestStage.Params)
        {
            // The id has ended, or its params have: a second end never dispatches a second time.
            return;
        }

        if (!wire.HasRecords)
        {
            slot.Request.Head.AppendScgi(verdict.Content);
        }
        else if (!slot.Request.Head.TryAppendParams(verdict.Content))
        {
            life.Close();
            MakeReady(slot, ref yield);
        }
    }

    private void OnParamsEnd(ushort id, ref ReadYield yield)
    {
        if (!slots.TryGet(id, out RequestSlot? slot) || slot.Stage != RequestStage.Params)
        {
            return;
        }

        if (wire.HasRecords)
        {
            slot.Request.CompleteParams();
            slot.Advance(RequestStage.AwaitingBody);
            MakeReadyIfBodyKnown(slot, ref yield);
            return;
        }

        slot.Request.CompleteScgiHead();
        slot.Advance(RequestStage.AwaitingBody);

        // More than the body is on its way, and to close with unread bytes would cost the answer.
        life.Lingers |= slot.Request.Head.HasCutBody;
        EndBodyIfWhole(slot, ref yield);
        MakeReady(slot, ref yield);
    }

    /// <summary>
    /// Without records there is nothing beyond CONTENT_LENGTH, but for what an upgraded request receives.
    /// </summary>
    private ProtocolViolation OnStdin(scoped in WireVerdict verdict, ref ReadYield yield)
    {
        if (!slots.TryGet(verdict.RequestId, out RequestSlot? slot))
        {
            return ProtocolViolation.None;
        }

        if (slot.Stage == RequestStage.Params)
        {
            return ProtocolViolation.StreamOrder;
        }

        yield.Add(slot.Receive(verdict.Content, slots.MayPause));
        if (slot.Request.Body.WantsPause(slots.MayPause))
        {
            yield.SlowReader = slot;
        }

        if (wire.HasRecords)
        {
            MakeReadyIfBodyKnown(slot, ref yield);
        }
        else
        {
            EndBodyIfWhole(slot, ref yield);
        }

        return ProtocolViolation.None;
    }

    private ProtocolViolation OnStdinEnd(ushort id, ref ReadYield yield)
    {
        if (!slots.TryGet(id, out RequestSlot? slot))
        {
            return ProtocolViolation.None;
        }

        if (slot.Stage == RequestStage.Params)
        {
            return ProtocolViolation.StreamOrder;
        }

        if (slot.Request.IsUpgraded && slot.Request.Body.Received == 0)
        {
            // The end of the body that the request did not have; nothing of the upgraded stream has come yet.
            return ProtocolViolation.None;
        }

        bool isAwaited = slot.Stage == RequestStage.AwaitingBody;
        EndBody(slot, ref yield);
        if (isAwaited)
        {
            // Else it runs already, or was drained, and may serve another connection by now.
            MakeReadyIfBodyKnown(slot, ref yield);
        }

        return ProtocolViolation.None;
    }

    /// <summary>FastCGI 1.0, section 5.4: END_REQUEST at once, and the id is free.</summary>
    private void OnAbort(ushort id)
    {
        if (!slots.TryGet(id, out RequestSlot? slot))
        {
            return;
        }

        ConnectionLogs.PeerAborted(server.ConnectionLog, host.Id, id);
        bool keepsConnection = slot.KeepConnection;
        life.Lingers |= !slot.Request.Body.HasEnded;

        // The request goes silent before END_REQUEST: nothing of it may follow that.
        endings.Abort(slot, AbortReasons.ConnectionLost());
        endings.SendEndRequest(id);
        if (!keepsConnection)
        {
            life.Close();
        }
    }

    /// <summary>Answers a request that never was one. Without records the rest of it is still on its way.</summary>
    private void Refuse(scoped in WireVerdict verdict, CgiRejection reason, ProtocolStatus status)
    {
        ConnectionLogs.Refused(server.ConnectionLog, host.Id, verdict.RequestId, reason.Detail);
        Span<byte> answer = stackalloc byte[1024];
        int length = wire.WriteRefusal(answer, verdict.RequestId, reason, status, isHead: false);
        host.Output.SendAnswer(answer[..length]);
        if (!verdict.Begin.KeepConnection)
        {
            life.Close(lingers: !wire.HasRecords);
        }
    }

    private void EndBodyIfWhole(RequestSlot slot, ref ReadYield yield)
    {
        if (!slot.Request.IsUpgraded && slot.Request.Body.IsWhole && !slot.Request.Body.HasEnded)
        {
            EndBody(slot, ref yield);
        }
    }

    private void EndBody(RequestSlot slot, ref ReadYield yield)
    {
        yield.Add(slot.EndBody());
        if (slot.Stage == RequestStage.Draining)
        {
            endings.FinishDraining(slot);
        }
    }

    private static void MakeReadyIfBodyKnown(RequestSlot slot, ref ReadYield yield)
    {
        if (slot.Stage == RequestStage.AwaitingBody && slot.Request.IsBodyKnown)
        {
            MakeReady(slot, ref yield);
        }
    }

    private static void MakeReady(RequestSlot slot, ref ReadYield yield)
    {
        // 8. Ready: the request waits for the reader to be free.
        slot.Open();
        yield.Add(slot);
    }
}
