namespace FastCgi.AspNetCore.Requests;

/// <summary>The fate of a buffer that was given to be sent.</summary>
internal enum SendOutcome
{
    /// <summary>All of it is in the socket; the buffer is the caller's again.</summary>
    Sent,

    /// <summary>Some of it waits; the buffer belongs to the connection, which returns it to the pool.</summary>
    Queued,

    /// <summary>The socket is lost; the buffer is the caller's again.</summary>
    Lost,

    /// <summary>
    /// As sent, but a file had become shorter: zeros stand for what is missing, so the response has to break off.
    /// </summary>
    Truncated,
}
