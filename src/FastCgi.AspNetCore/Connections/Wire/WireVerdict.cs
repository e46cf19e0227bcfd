using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

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

    /// <summary>
    /// The peer asks if it may mix requests (FCGI_MPXS_CONNS), for <see cref="WireEvent.Answer"/>.
    /// </summary>
    public bool AsksForMultiplexing { get; init; }

    /// <summary>The declared length of an SCGI head, for <see cref="WireEvent.Begin"/>; null in FastCGI.</summary>
    public int? HeadLength { get; init; }
}
