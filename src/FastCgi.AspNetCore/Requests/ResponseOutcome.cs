namespace FastCgi.AspNetCore.Requests;

/// <summary>How a response ends once the application has returned.</summary>
internal enum ResponseOutcome
{
    /// <summary>As the application wrote it.</summary>
    Whole,

    /// <summary>By an answer of the server: the application failed before the response started.</summary>
    Error,

    /// <summary>
    /// Broken off: the application failed after the start, and the client must not take half for whole.
    /// </summary>
    Torn,
}
