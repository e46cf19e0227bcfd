namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>The request that a body belongs to.</summary>
internal interface IRequestBodyOwner
{
    /// <summary>In bytes; null for no limit.</summary>
    long? MaxRequestBodySize { get; }

    /// <summary>Called when the application reads for the first time.</summary>
    void OnBodyReadingStarted();

    /// <summary>
    /// Stores the <paramref name="exception"/> of a read, and does nothing else. The body's lock is held, so this is
    /// still the request of the reader.
    /// </summary>
    void SetBadRequest(BadHttpRequestException exception);

    /// <summary>Tells observers about the exception of <see cref="SetBadRequest"/>. No lock is held.</summary>
    void TellOfBadRequest();

    /// <summary>Called when writing or reading a temporary file of the body has failed. No lock is held.</summary>
    void OnDiskFailed(Exception failure);

    /// <summary>Runs the continuation of a completed read on another thread. No lock is held.</summary>
    void Continue(IThreadPoolWorkItem reader);
}

/// <summary>The connection of a request, for its bodies.</summary>
internal interface IBodySource
{
    /// <summary>Reads the socket again, because the body has room.</summary>
    void ResumeReading();

    /// <summary>
    /// Logs an exception from the application's continuation of a read or a flush. May be called on any thread, and
    /// after the end of the request.
    /// </summary>
    void OnContinuationFailed(Exception exception);
}
