using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What each record means for the request it names. Everything here runs under the gate.</summary>
internal sealed partial class FastCgiConnection
{
    /// <summary>The id that web servers take which send one request at a time; others count on.</summary>
    private const int OnlyId = 1;

    protected override ProtocolViolation Route(ReadOnlySpan<byte> received)
    {
        while (_records.TryRead(ref received, out RecordPart part))
        {
            ProtocolViolation violation = part.Header.IsManagement ? RouteManagement(part) : RouteApplication(part);
            if (violation != ProtocolViolation.None)
            {
                return violation;
            }
        }

        return _records.Violation;
    }

    private ProtocolViolation RouteApplication(in RecordPart part)
    {
        switch (part.Header.Type)
        {
            case RecordType.BeginRequest:
                return OnBeginRequest(part);
            case RecordType.Params:
                OnParams(part);
                break;
            case RecordType.Stdin:
                return OnStdin(part);
            case RecordType.AbortRequest:
                OnAbortRequest(part);
                break;
            case RecordType.Data or RecordType.EndRequest or RecordType.Stdout or RecordType.Stderr
                or RecordType.GetValues or RecordType.GetValuesResult:
                // DATA belongs to filters, GET_VALUES to id 0; the others only ever go the other way.
                break;
            default:
                AnswerUnknownType(part);
                break;
        }

        return ProtocolViolation.None;
    }

    /// <summary>FastCGI 1.0, section 5.1.</summary>
    private ProtocolViolation OnBeginRequest(in RecordPart part)
    {
        if (part.IsFirst)
        {
            _fixedBody = default;
            if (Requests.TryGet(part.Header.RequestId, out _))
            {
                return ProtocolViolation.RequestIdInUse;
            }
        }

        Span<byte> bytes = stackalloc byte[FastCgiConstants.FixedBodySize];
        if (!_fixedBody.TryRead(part, bytes))
        {
            return _fixedBody.Violation;
        }

        BeginRequestBody.TryRead(bytes, out BeginRequestBody body);
        if (TakesNoRequest)
        {
            // Left unanswered: the web server tries another back end when the socket closes. In company, because a
            // connection that always carries another request would never end.
            return ProtocolViolation.None;
        }

        HasBegunRequest = true;

        if (body.Role is not (FastCgiRole.Responder or FastCgiRole.Authorizer))
        {
            Refuse(part.Header.RequestId, body, CgiRejection.UnknownRole, ProtocolStatus.UnknownRole);
        }
        else if (!TryOpenRequest())
        {
            Refuse(part.Header.RequestId, body, CgiRejection.Overloaded, ProtocolStatus.Overloaded);
        }
        else
        {
            PeerMultiplexes |= Requests.Count > 0 || part.Header.RequestId != OnlyId;
            Begin(part.Header.RequestId, body);
        }

        return ProtocolViolation.None;
    }

    /// <summary>FastCGI 1.0, section 5.2.</summary>
    private void OnParams(in RecordPart part)
    {
        if (!Requests.TryGet(part.Header.RequestId, out RequestSlot? slot)
            || slot.Stage != RequestStage.Params)
        {
            // The id has ended, or its params have: a second end never dispatches a second time.
            return;
        }

        if (!part.IsEndOfStream)
        {
            if (!slot.Request.TryAppendParams(part.Content))
            {
                IsClosing = true;
                MakeReady(slot);
            }

            return;
        }

        slot.Request.CompleteParams();
        slot.Advance(RequestStage.AwaitingBody);
        MakeReadyIfBodyKnown(slot);
    }

    /// <summary>FastCGI 1.0, section 5.3.</summary>
    private ProtocolViolation OnStdin(in RecordPart part)
    {
        if (!Requests.TryGet(part.Header.RequestId, out RequestSlot? slot))
        {
            return ProtocolViolation.None;
        }

        if (slot.Stage == RequestStage.Params)
        {
            return ProtocolViolation.StreamOrder;
        }

        if (part.IsEndOfStream)
        {
            if (slot.Request.IsUpgraded && slot.Request.Body.Received == 0)
            {
                // The end of the body that the request did not have; nothing of the upgraded stream has come yet.
                return ProtocolViolation.None;
            }

            slot.Request.Body.End();
            if (slot.Stage == RequestStage.Draining)
            {
                FinishDraining(slot);
                return ProtocolViolation.None;
            }
        }
        else
        {
            Receive(slot, part.Content);
        }

        MakeReadyIfBodyKnown(slot);
        return ProtocolViolation.None;
    }

    /// <summary>FastCGI 1.0, section 5.4: END_REQUEST at once, and the id is free.</summary>
    private void OnAbortRequest(in RecordPart part)
    {
        if (!part.IsLast || !Requests.TryGet(part.Header.RequestId, out RequestSlot? slot))
        {
            return;
        }

        LogPeerAborted(Log, Id, part.Header.RequestId);
        // The request goes silent before END_REQUEST: nothing of it may follow that.
        bool keep = slot.KeepConnection;
        Lingers |= !slot.Request.Body.HasEnded;
        AbortRequest(slot, FastCgiRequest.ConnectionLost());
        SendEndRequest(part.Header.RequestId);
        if (!keep)
        {
            IsClosing = true;
        }

        CloseIfIdle();
    }
}
