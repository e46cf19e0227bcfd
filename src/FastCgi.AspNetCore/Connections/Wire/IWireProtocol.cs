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

    /// <summary>
    /// The bytes that show a peer that a response broke off. Empty: a reset of the connection is all there is.
    /// </summary>
    ReadOnlySpan<byte> Break { get; }

    /// <summary>Takes the next verdict off the front of <paramref name="received"/>.</summary>
    bool TryRead(scoped ref ReadOnlySpan<byte> received, out WireVerdict verdict);

    /// <summary>
    /// Recognises the protocol of a peer that does not speak this one, by its first bytes; null for unknown.
    /// </summary>
    ForeignProtocolAdvice? Recognise(ReadOnlySpan<byte> firstBytes);

    /// <summary>The records that end a response; their length, 0 if the close of the connection ends it.</summary>
    int WriteEnd(Span<byte> destination, ushort requestId, ResponseEnd end, ProtocolStatus status);

    /// <summary>
    /// Says that a request has ended whose response ended before; the length, 0 if the close says it.
    /// </summary>
    int WriteEndRequest(Span<byte> destination, ushort requestId);

    /// <summary>The whole answer to a request, in place of the application's; its length.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="requestId">Of the request.</param>
    /// <param name="reason">Why.</param>
    /// <param name="status">For END_REQUEST.</param>
    /// <param name="isHead">The method is HEAD, so the answer has no body. False also while it is not known.</param>
    int WriteRefusal(
        Span<byte> destination, ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead);
}
