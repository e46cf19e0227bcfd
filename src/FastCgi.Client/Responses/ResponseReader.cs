namespace FastCgi.Client.Responses;

/// <summary>Reads one CGI response, head and body, from the received bytes. Does no I/O.</summary>
internal abstract class ResponseReader
{
    /// <summary>True if some of the response has come.</summary>
    public bool HasBegun { get; protected set; }

    /// <summary>True if the response is complete.</summary>
    public bool IsEnded { get; protected set; }

    /// <summary>True if the peer closes the connection after the response.</summary>
    public abstract bool EndsWithConnection { get; }

    /// <summary>True if the response is complete, and the connection's next bytes belong to another one.</summary>
    public virtual bool IsAtBoundary => false;

    /// <summary>
    /// Takes the next content from the front of <paramref name="received"/>. False if more is needed, or
    /// <see cref="IsEnded"/>.
    /// </summary>
    /// <exception cref="FastCgiException">The bytes are invalid, or the peer refused the request.</exception>
    public abstract bool TryRead(ref ReadOnlyMemory<byte> received, out ReadOnlyMemory<byte> content);
}
