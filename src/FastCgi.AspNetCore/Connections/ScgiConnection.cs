using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;
using FastCgi.Protocol.Scgi;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// A connection of an SCGI endpoint. It carries one request: its head with the length in front, its body without any
/// frame; the answer without any frame too, and the close of the connection is its end. After an upgrade both
/// directions are the application's.
/// </summary>
/// <remarks>SCGI: A Simple Common Gateway Interface alternative (Neil Schemenauer, 2008).</remarks>
internal sealed class ScgiConnection(
    ServerContext server,
    RequestPool pool,
    IConnectionOwner owner,
    TransportConnection transport,
    bool allowsUpgrade)
    : PeerConnection(server, pool, owner, transport, allowsUpgrade)
{
    /// <summary>SCGI has no ids; this is the one that FastCGI web servers give their only request.</summary>
    private const int OnlyId = 1;

    private static readonly BeginRequestBody s_begin = new(FastCgiRole.Responder, BeginRequestFlags.None);

    // Written under the reading role only.
    private NetstringReader _head;

    public override bool HasRecords => false;

    protected override string ProtocolName => "SCGI";

    protected override bool IsBetweenRecords => _head.IsEmpty || _head.IsWhole;

    protected override ProtocolViolation Route(ReadOnlySpan<byte> received)
    {
        if (_head.IsWhole)
        {
            OnBody(received);
            return ProtocolViolation.None;
        }

        bool wasLengthKnown = _head.Length is not null;
        if (!_head.TryRead(ref received, out ReadOnlySpan<byte> content))
        {
            return _head.Violation;
        }

        if (!wasLengthKnown)
        {
            OnLength(_head.Length!.Value);
        }

        OnHead(content);
        if (!received.IsEmpty)
        {
            OnBody(received);
        }

        return ProtocolViolation.None;
    }

    protected override ForeignProtocol? Recognise(ReadOnlySpan<byte> firstBytes) => ForeignProtocol.AtScgi(firstBytes);

    /// <summary>The close of the connection says it.</summary>
    protected override void SendEndRequest(ushort requestId)
    {
    }

    /// <summary>
    /// A reset, which TCP alone has. A unix socket ends the same way after half an answer and after a whole one; only a
    /// Content-Length tells the web server which it was.
    /// </summary>
    protected override void SendBreak() => CloseByReset();

    private void OnLength(int length)
    {
        if (TakesNoRequest)
        {
            return;
        }

        HasBegunRequest = true;
        if (!TryOpenRequest())
        {
            Refuse(CgiRejection.Overloaded);
            return;
        }

        RequestSlot slot = Begin(OnlyId, s_begin);
        if (!slot.Request.TryBeginHead(length))
        {
            MakeReady(slot);
        }
    }

    /// <summary>Answers a request that never was one; the rest of it is still on its way.</summary>
    private void Refuse(CgiRejection reason)
    {
        LogRefused(Log, Id, OnlyId, reason.Detail);
        Span<byte> answer = stackalloc byte[1024];
        Output.SendCopy(answer[..RejectionWriter.Write(answer, reason)]);
        IsClosing = Lingers = true;
        CloseIfIdle();
    }

    private void OnHead(ReadOnlySpan<byte> content)
    {
        if (!Requests.TryGet(OnlyId, out RequestSlot? slot) || slot.Stage != RequestStage.Params)
        {
            return;
        }

        slot.Request.AppendHead(content);
        if (_head.IsWhole)
        {
            slot.Request.CompleteHead();

            // More than the body is on its way, and to close with unread bytes would cost the answer.
            Lingers |= slot.Request.HasCutBody;
            slot.Advance(RequestStage.AwaitingBody);
            EndBodyIfWhole(slot);
            MakeReady(slot);
        }
    }

    /// <summary>Beyond CONTENT_LENGTH there is nothing, but for what an upgraded request receives.</summary>
    private void OnBody(ReadOnlySpan<byte> content)
    {
        if (Requests.TryGet(OnlyId, out RequestSlot? slot))
        {
            Receive(slot, content);
            EndBodyIfWhole(slot);
        }
    }

    private void EndBodyIfWhole(RequestSlot slot)
    {
        if (slot.Request.IsUpgraded || !slot.Request.Body.IsWhole || slot.Request.Body.HasEnded)
        {
            return;
        }

        slot.Request.Body.End();
        if (slot.Stage == RequestStage.Draining)
        {
            FinishDraining(slot);
        }
    }
}
