namespace FastCgi.AspNetCore.Requests;

/// <summary>How far the STDOUT stream of a response is.</summary>
internal enum StdoutPhase
{
    /// <summary>Written bytes wait for the head.</summary>
    BeforeHead,

    /// <summary>The head is in the block.</summary>
    HeadWritten,

    /// <summary>The head has left: nothing can hold it back any more.</summary>
    HeadSent,

    /// <summary>The response is over, or the socket is lost: what is written goes nowhere.</summary>
    Detached,
}
