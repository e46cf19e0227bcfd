namespace FastCgi.Client.Sending;

/// <summary>The use of the buffer and the connection of a response.</summary>
internal enum ReadingState
{
    /// <summary>No read is running.</summary>
    Free,

    /// <summary>A read is running.</summary>
    Reading,

    /// <summary>The response no longer has either of them.</summary>
    Over,

    /// <summary>The response was disposed.</summary>
    Closed,
}
