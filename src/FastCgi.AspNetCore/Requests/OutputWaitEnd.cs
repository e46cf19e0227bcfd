namespace FastCgi.AspNetCore.Requests;

/// <summary>The end of the wait of a flush.</summary>
internal enum OutputWaitEnd
{
    /// <summary>The peer has taken enough, or is gone.</summary>
    Room = 1,

    /// <summary>The application cancelled this flush alone.</summary>
    FlushCancelled,

    /// <summary>The token of the flush was cancelled.</summary>
    TokenCancelled,
}
