namespace FastCgi.Client;

/// <summary>The treatment of a request body whose length is not known beforehand.</summary>
public enum FastCgiUnknownLengthBody
{
    /// <summary>
    /// Buffered where the application needs CONTENT_LENGTH: SCGI and PHP, which is with a
    /// <see cref="FastCgiHandlerOptions.DocumentRoot"/>. Streamed elsewhere.
    /// </summary>
    WhereNeeded,

    /// <summary>Always buffered.</summary>
    Buffer,

    /// <summary>
    /// Always streamed, without CONTENT_LENGTH. SCGI has no way to end such a body, so it buffers all the same.
    /// </summary>
    Stream,
}
