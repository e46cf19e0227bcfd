using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>
/// The protocol of one connection: bytes to verdicts, and the few bytes that the connection itself sends. No I/O, and
/// no knowledge of requests. Used under the connection's gate.
/// </summary>
internal interface IWireProtocol
{
    /// <summary>For a log.</summary>
    string Name { get; }

    /// <summary>
    /// True when responses are cut into records. False: the bytes of a response are sent as they are, and the close
    /// of the connection ends it.
    /// </summary>
    bool HasRecords { get; }

    /// <summary>No record and no head has come in part, so the connection may end here.</summary>
    bool IsBetweenRecords { get; }

    /// <summary>Why no verdict comes any more; None while more bytes are all that is needed.</summary>
    ProtocolViolation Violation { get; }

    /// <summary>The bytes that show that a response broke off. Empty: only a reset of the connection can.</summary>
    ReadOnlySpan<byte> Break { get; }

    /// <summary>Takes the next verdict off the front of <paramref name="received"/>.</summary>
    bool TryRead(scoped ref ReadOnlySpan<byte> received, out WireVerdict verdict);

    /// <summary>Recognises the protocol of a peer that speaks another, by its first bytes; null for unknown.</summary>
    ForeignProtocolAdvice? Recognise(ReadOnlySpan<byte> firstBytes);

    /// <summary>The records that end a response; their length, 0 if the close of the connection ends it.</summary>
    int WriteEnd(Span<byte> destination, ushort requestId, ResponseEnd end, ProtocolStatus status);

    /// <summary>Says that a request whose response has ended is over; the length, 0 if the close says it.</summary>
    int WriteEndRequest(Span<byte> destination, ushort requestId);

    /// <summary>
    /// The record at which nginx closes a connection that it keeps and does not use; the length, 0 if no connection is
    /// kept. If nginx has sent a request of this id by then, the record changes nothing in front of the response.
    /// </summary>
    int WriteCloseHint(Span<byte> destination, ushort requestId);

    /// <summary>The whole answer to a request, in place of the application's; its length.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="requestId">Of the request.</param>
    /// <param name="reason">Why.</param>
    /// <param name="status">For END_REQUEST.</param>
    /// <param name="isHead">The method is HEAD, so the answer has no body. False also while it is not known.</param>
    int WriteRefusal(
        Span<byte> destination, ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead);
}

/// <summary>The meaning of the next bytes of a peer.</summary>
internal enum WireEvent
{
    /// <summary>A request begins. SCGI tells the length of its head with it, and may bring the first piece.</summary>
    Begin,

    /// <summary>A piece of the params.</summary>
    Params,

    /// <summary>The params are whole.</summary>
    ParamsEnd,

    /// <summary>A piece of the body.</summary>
    Stdin,

    /// <summary>The end of the body. FastCGI only: SCGI has no record for it.</summary>
    StdinEnd,

    /// <summary>The peer gives a request up.</summary>
    Abort,

    /// <summary>A management record that the server answers by the content.</summary>
    Answer,
}

/// <summary>One event of a peer's bytes. The content lies in the receive buffer.</summary>
internal readonly ref struct WireVerdict
{
    public WireVerdict(WireEvent what, ushort requestId, ReadOnlySpan<byte> content)
    {
        Event = what;
        RequestId = requestId;
        Content = content;
    }

    public WireEvent Event { get; }

    public ushort RequestId { get; }

    public ReadOnlySpan<byte> Content { get; }

    /// <summary>The request that begins, for <see cref="WireEvent.Begin"/>.</summary>
    public BeginRequestBody Begin { get; init; }

    /// <summary>The peer asks if it may mix requests (FCGI_MPXS_CONNS), for <see cref="WireEvent.Answer"/>.</summary>
    public bool AsksForMultiplexing { get; init; }

    /// <summary>The declared length of an SCGI head, for <see cref="WireEvent.Begin"/>; null in FastCGI.</summary>
    public int? HeadLength { get; init; }
}

/// <summary>Which records follow the last byte of a response.</summary>
internal enum ResponseEnd
{
    /// <summary>None: an abort has ended the request already.</summary>
    None,

    /// <summary>The end of STDOUT alone: END_REQUEST waits for the end of the body.</summary>
    Stdout,

    /// <summary>The end of STDOUT and END_REQUEST.</summary>
    Request,

    /// <summary>END_REQUEST with one more record behind it, which tells nginx not to keep the connection.</summary>
    RequestAndConnection,
}
