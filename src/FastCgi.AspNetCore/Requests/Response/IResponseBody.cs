namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>The response as the writer of its body sees it.</summary>
internal interface IResponseBody
{
    bool HasStarted { get; }

    bool IsAborted { get; }

    /// <summary>The body is complete: a flush has nothing to do, and a write throws.</summary>
    bool IsCompleted { get; }

    /// <summary>The application has left: the writer and the stream are dead.</summary>
    bool IsOver { get; }

    /// <summary>Body bytes are counted and go nowhere: HEAD, a status without a body, or an aborted request.</summary>
    bool IsBodyDropped { get; }

    /// <summary>
    /// Called when written bytes are about to leave. True: the response has started, and these are the last bytes of
    /// its declared length.
    /// </summary>
    bool LeavesWhole();

    /// <summary>Runs OnStarting and writes the head, once.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Throws where nothing may be written: the response is complete, or it could not start.</summary>
    void ThrowIfUnwritable();

    /// <summary>
    /// Judges <paramref name="bytes"/> more before anything of them is kept, and counts them.
    /// </summary>
    void Count(long bytes);

    /// <summary>Takes back bytes that were counted and not written.</summary>
    void Uncount(long bytes);

    /// <summary>
    /// Bytes in the middle of the body are missing, whatever takes their place: the response must not end as whole.
    /// </summary>
    void Cut();

    /// <summary>
    /// Asked before a flush of <paramref name="more"/> further bytes. Null: go on; what is flushed leaves, or is kept
    /// until it may. Else the flush waits for the task.
    /// </summary>
    Task? WaitForUpload(long more);

    /// <summary>The writer writes no more; what it wrote is sent when the application returns.</summary>
    /// <exception cref="InvalidOperationException">A started response lacks bytes of its Content-Length.</exception>
    void Complete(Exception? exception);

    /// <summary>Ends the response now.</summary>
    Task CompleteAsync();

    /// <summary>Breaks the response off.</summary>
    void Abort();
}
