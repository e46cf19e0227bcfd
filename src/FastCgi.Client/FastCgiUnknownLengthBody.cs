namespace FastCgi.Client;

/// <summary>The treatment of a request body of unknown length.</summary>
public enum FastCgiUnknownLengthBody
{
    /// <summary>
    /// Buffered if the application needs CONTENT_LENGTH: SCGI, and PHP (with a
    /// <see cref="FastCgiHandlerOptions.DocumentRoot"/>). Otherwise streamed.
    /// </summary>
    WhereNeeded,

    /// <summary>Always buffered.</summary>
    Buffer,

    /// <summary>
    /// Always streamed, without CONTENT_LENGTH. SCGI cannot mark the end of such a body, so it still buffers.
    /// </summary>
    Stream,
}
