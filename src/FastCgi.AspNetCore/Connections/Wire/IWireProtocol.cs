using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>
/// The protocol of one connection: turns bytes into verdicts, and writes the few bytes that the connection itself
/// sends. It does no I/O and knows no requests. Used under the connection's gate.
/// </summary>
internal interface IWireProtocol
{
    /// <summary>The name of the protocol, for logs.</summary>
    string Name { get; }

    /// <summary>True if responses are cut into records. False if they are plain bytes until the close.</summary>
    bool HasRecords { get; }

    /// <summary>True if no record and no head is incomplete, so that the connection may end here.</summary>
    bool IsBetweenRecords { get; }

    /// <summary>The reason why no more verdicts follow. None if the wire only needs more bytes.</summary>
    ProtocolViolation Violation { get; }

    /// <summary>The bytes that show that a response broke off. Empty if only a reset can show it.</summary>
    ReadOnlySpan<byte> Break { get; }

    /// <summary>Reads the next verdict from the front of <paramref name="received"/>.</summary>
    bool TryRead(scoped ref ReadOnlySpan<byte> received, out WireVerdict verdict);

    /// <summary>Recognises a peer that speaks another protocol, by its first bytes; null if unknown.</summary>
    ForeignProtocolAdvice? Recognise(ReadOnlySpan<byte> firstBytes);

    /// <summary>Writes the records of an end; their length, or 0 if only the close of the socket ends it.</summary>
    int WriteEnd(Span<byte> destination, ushort requestId, ResponseEnd end, ProtocolStatus status);

    /// <summary>
    /// Writes a whole answer to a request, in place of the application's. Returns the length. The answer has no body if
    /// <paramref name="isHead"/> is true. If the method is unknown, it is false.
    /// </summary>
    int WriteRefusal(
        Span<byte> destination, ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead);
}

/// <summary>The meaning of the next bytes of a peer.</summary>
internal enum WireEvent
{
    /// <summary>A request begins. SCGI also gives the length of its head, and may bring the first piece.</summary>
    Begin,

    Params,
    ParamsEnd,
    Stdin,

    /// <summary>The end of the body. FastCGI only: SCGI has no record for it.</summary>
    StdinEnd,

    Abort,

    /// <summary>A management record. The content is the server's answer.</summary>
    Answer,
}

/// <summary>One event in the bytes of a peer. The content lies in the receive buffer.</summary>
internal readonly ref struct WireVerdict(WireEvent what, ushort requestId, ReadOnlySpan<byte> content)
{
    public WireEvent Event { get; } = what;

    public ushort RequestId { get; } = requestId;

    public ReadOnlySpan<byte> Content { get; } = content;

    /// <summary>The request that begins, for <see cref="WireEvent.Begin"/>.</summary>
    public BeginRequestBody Begin { get; init; }

    /// <summary>True if the peer asks for FCGI_MPXS_CONNS, for <see cref="WireEvent.Answer"/>.</summary>
    public bool AsksForMultiplexing { get; init; }

    /// <summary>The declared length of an SCGI head, for <see cref="WireEvent.Begin"/>; null in FastCGI.</summary>
    public int? HeadLength { get; init; }
}

/// <summary>The records that end a response, its request or its connection.</summary>
internal enum ResponseEnd
{
    /// <summary>None: an abort has already ended the request.</summary>
    None,

    /// <summary>The end of STDOUT alone: END_REQUEST waits for the end of the body.</summary>
    Stdout,

    /// <summary>The end of STDOUT and END_REQUEST.</summary>
    Request,

    /// <summary>As above, and a record that tells nginx not to keep the connection.</summary>
    RequestAndConnection,

    /// <summary>END_REQUEST alone: the response has ended before, or was aborted.</summary>
    RequestAlone,

    /// <summary>
    /// A record that makes nginx close a kept and unused connection. If nginx has already sent a request with this id,
    /// the record before the response has no effect.
    /// </summary>
    ConnectionAlone,
}
