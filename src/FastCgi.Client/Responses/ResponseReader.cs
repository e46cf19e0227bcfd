namespace FastCgi.Client.Responses;

/// <summary>Takes the bytes of one CGI response, head and body, out of what was received. Does no I/O.</summary>
internal abstract class ResponseReader
{
    /// <summary>Something of the response has come.</summary>
    public bool HasBegun { get; protected set; }

    /// <summary>The response is whole.</summary>
    public bool IsEnded { get; protected set; }

    /// <summary>The peer closes the connection behind the response.</summary>
    public abstract bool EndsWithConnection { get; }

    /// <summary>The response is whole, and the next bytes of the connection are those of another one.</summary>
    public virtual bool IsAtBoundary => false;

    /// <summary>
    /// Takes the next content off the front of <paramref name="received"/>. False: more is needed, or
    /// <see cref="IsEnded"/>.
    /// </summary>
    /// <exception cref="FastCgiException">The bytes are wrong, or the peer refused the request.</exception>
    public abstract bool TryRead(ref ReadOnlyMemory<byte> received, out ReadOnlyMemory<byte> content);
}
