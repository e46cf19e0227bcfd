using System.IO.Pipelines;

namespace FastCgi.AspNetCore.Features;

/// <summary>The response behind its features, and the abort of the request.</summary>
internal interface IResponseControl
{
    /// <summary>The head is final: nothing of it may change.</summary>
    bool HasStarted { get; }

    /// <summary>The same object for the whole request.</summary>
    Stream Stream { get; }

    /// <summary>The same object for the whole request.</summary>
    PipeWriter Writer { get; }

    /// <summary>Made when first asked for; cancelled on the thread pool.</summary>
    CancellationToken RequestAborted { get; }

    /// <summary>HttpContext.Abort().</summary>
    void Abort();

    /// <summary>Runs OnStarting, then freezes the head. Sends nothing by itself.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Starts if need be, flushes, and ends the response body; later writes throw.</summary>
    Task CompleteAsync();

    /// <summary>Asks the web server to pass every flush on at once. No effect once the response has started.</summary>
    void DisableBuffering();

    /// <summary>Sends bytes of a file as the body, or a part of it.</summary>
    Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken);

    /// <summary>Logs that an OnCompleted callback threw; the others go on.</summary>
    void OnCompletedFailed(Exception exception);
}
