namespace FastCgi.Protocol;

/// <summary>
/// The reason why a connection cannot continue: after it, the following bytes have no agreed meaning. The codec reports
/// the first two; the others are for code that keeps the state of the requests.
/// </summary>
public enum ProtocolViolation
{
    /// <summary>No violation.</summary>
    None = 0,

    /// <summary>
    /// A record does not begin with version 1 (section 3.3). Also reported for a peer that speaks HTTP.
    /// </summary>
    UnsupportedVersion,

    /// <summary>
    /// The content of a record with a fixed body is not exactly eight bytes (sections 4.2, 5.1 and 5.5).
    /// </summary>
    BodyLength,

    /// <summary>FCGI_BEGIN_REQUEST with request id 0, which is for management records (section 3.3).</summary>
    NullRequestId,

    /// <summary>FCGI_BEGIN_REQUEST for an id whose request has not ended (section 3.3).</summary>
    RequestIdInUse,

    /// <summary>Stdin or Data before the Params stream has ended (section 6.2).</summary>
    StreamOrder,

    /// <summary>The Params stream ended inside a name-value pair (section 3.4).</summary>
    TruncatedPair,

    /// <summary>The connection ended inside a record (section 3.3).</summary>
    TruncatedRecord,

    /// <summary>An SCGI request does not begin with a netstring: digits, a colon, that many bytes, a comma.</summary>
    Netstring,
}
