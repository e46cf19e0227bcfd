using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using FastCgi.Protocol.Scgi;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>
/// SCGI: each connection carries one request. Its head has the length in front; its body and the answer have no
/// framing, and the close of the connection ends the answer. After an upgrade, the application owns both directions.
/// </summary>
/// <remarks>SCGI: A Simple Common Gateway Interface alternative (Neil Schemenauer, 2008).</remarks>
internal sealed class ScgiWire : IWireProtocol
{
    /// <summary>SCGI has no ids. FastCGI web servers that do not multiplex use this id too.</summary>
    public const ushort OnlyId = 1;

    private static readonly BeginRequestBody s_begin = new(FastCgiRole.Responder, BeginRequestFlags.None);

    // Written by the holder of the reading role, under the gate.
    private NetstringReader _head;
    private bool _endIsTold;

    public string Name => "SCGI";

    public bool HasRecords => false;

    public bool IsBetweenRecords => _head.IsEmpty || _head.IsWhole;

    public ProtocolViolation Violation => _head.Violation;

    /// <summary>
    /// Empty: only a TCP reset shows a break. A unix socket ends in the same way after half a response and after a
    /// whole one; only a Content-Length shows the web server the difference.
    /// </summary>
    public ReadOnlySpan<byte> Break => default;

    public bool TryRead(scoped ref ReadOnlySpan<byte> received, out WireVerdict verdict)
    {
        verdict = default;
        if (_head.IsWhole && !_endIsTold)
        {
            _endIsTold = true;
            verdict = new WireVerdict(WireEvent.ParamsEnd, OnlyId, default);
            return true;
        }

        if (received.IsEmpty)
        {
            return false;
        }

        if (_head.IsWhole)
        {
            verdict = new WireVerdict(WireEvent.Stdin, OnlyId, received);
            received = default;
            return true;
        }

        bool isBegun = _head.Length is not null;
        if (!_head.TryRead(ref received, out ReadOnlySpan<byte> content))
        {
            return false;
        }

        verdict = isBegun
            ? new WireVerdict(WireEvent.Params, OnlyId, content)
            : new WireVerdict(WireEvent.Begin, OnlyId, content) { Begin = s_begin, HeadLength = _head.Length };
        return true;
    }

    public ForeignProtocolAdvice? Recognise(ReadOnlySpan<byte> firstBytes) => ForeignProtocolAdvice.AtScgi(firstBytes);

    public int WriteEnd(Span<byte> destination, ushort requestId, ResponseEnd end, ProtocolStatus status) => 0;

    public int WriteRefusal(
        Span<byte> destination, ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead) =>
        reason.Write(destination, isHead);
}
