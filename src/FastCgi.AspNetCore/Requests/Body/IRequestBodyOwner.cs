namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>The request that a body belongs to.</summary>
internal interface IRequestBodyOwner
{
    /// <summary>In bytes; null is no limit.</summary>
    long? MaxRequestBodySize { get; }

    /// <summary>The application reads for the first time.</summary>
    void OnBodyReadingStarted();

    /// <summary>
    /// A read met <paramref name="exception"/>. Only keeps it: the body's lock is held, so this is still the reader's
    /// request.
    /// </summary>
    void SetBadRequest(BadHttpRequestException exception);

    /// <summary>Tells observers of what <see cref="SetBadRequest"/> kept. No lock is held.</summary>
    void TellOfBadRequest();

    /// <summary>A part of the body could not go to a temporary file, or come from it. No lock is held.</summary>
    void OnDiskFailed(Exception failure);

    /// <summary>Runs on another thread what stands behind a read that has a result. No lock is held.</summary>
    void Continue(IThreadPoolWorkItem reader);
}

/// <summary>The connection of a request, as its bodies see it.</summary>
internal interface IBodySource
{
    /// <summary>There is room in the body: the socket is read again.</summary>
    void ResumeReading();

    /// <summary>
    /// Logs what a callback of the application threw that stood behind a read or a flush. Any thread, also after the
    /// request.
    /// </summary>
    void OnContinuationFailed(Exception exception);
}
