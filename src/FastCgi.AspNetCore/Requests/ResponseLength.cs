using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The length of a response body: allowed, declared, written. Of the application's flow alone.</summary>
internal struct ResponseLength
{
    private bool _isFinal;
    private bool _isRefusalLogged;

    /// <summary>Body bytes that the application has written, sent or not, suppressed or not.</summary>
    public long Written { get; set; }

    /// <summary>Bytes that belong into the body are missing.</summary>
    public bool IsCut { get; set; }

    /// <summary>The head is written, and no body may follow it.</summary>
    public bool IsForbidden { get; private set; }

    /// <summary>The status has no body, whatever the method.</summary>
    public static bool StatusForbidsBody(int status) => status is < 200
        or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified;

    /// <summary>Before the head is written: brings Content-Length in line with the status and what is known.</summary>
    /// <param name="features">The status and the headers.</param>
    /// <param name="isForbidden">No body may follow.</param>
    /// <param name="isWhole">The application has ended: nothing follows what was written.</param>
    /// <exception cref="InvalidOperationException">Status, Content-Length and body contradict each other.</exception>
    public void Start(RequestFeatures features, bool isForbidden, bool isWhole)
    {
        int status = features.StatusCode;
        IHeaderDictionary headers = features.ResponseHeaders;
        long? length = headers.ContentLength;
        if (status is < 200 or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent)
        {
            if (length > 0)
            {
                throw new InvalidOperationException(
                    $"A response with status {status} has no body, but Content-Length is {length}.");
            }

            headers.ContentLength = status == StatusCodes.Status205ResetContent ? 0 : null;
        }
        else if (isWhole && length is null && Written == 0 && !isForbidden && !headers.ContainsKey("Transfer-Encoding"))
        {
            headers.ContentLength = 0;
        }
        else if (Written > length && !isForbidden)
        {
            throw TooManyBytes(Written, length.Value);
        }

        IsForbidden = isForbidden;
        _isFinal = true;
    }

    /// <summary>Judges a write of <paramref name="bytes"/> before anything of it is kept, and counts it.</summary>
    /// <exception cref="InvalidOperationException">It exceeds Content-Length, or no body may follow.</exception>
    public void Count(long bytes, FastCgiRequest request, RequestFeatures features, bool isAborted)
    {
        if (bytes > 0 && IsForbidden && !isAborted)
        {
            RefuseBody(request, features);
        }
        else if (bytes > 0 && Declared(features) is long length && Written + bytes > length)
        {
            throw TooManyBytes(Written + bytes, length);
        }

        Written += bytes;
    }

    /// <summary>A body where none may be: an error, but for HEAD, whose handlers write as for GET.</summary>
    /// <exception cref="InvalidOperationException">The status has no body.</exception>
    public void RefuseBody(FastCgiRequest request, RequestFeatures features)
    {
        if (!HttpMethods.IsHead(request.Head.Cgi.Method))
        {
            throw new InvalidOperationException(
                $"A response with status {features.StatusCode} has no body, so nothing can be written to it.");
        }

        if (!_isRefusalLogged)
        {
            _isRefusalLogged = true;
            RequestLog.HeadBodyIgnored(request.Server.RequestLog, request.Connection.Id, features.TraceIdentifier);
        }
    }

    /// <summary>The body ends here.</summary>
    /// <exception cref="InvalidOperationException">Content-Length promised more, or a part is missing.</exception>
    public readonly void Verify(RequestFeatures features)
    {
        if (IsCut)
        {
            throw new InvalidOperationException(
                "The response lacks a part of a file that could not be read to its end. It is aborted, so that no " +
                "client takes it for whole.");
        }

        if (Declared(features) is long length && Written < length)
        {
            throw TooFewBytes(length);
        }
    }

    /// <summary>As <see cref="Verify"/>, for a response that has not started: the client gets a 500 then.</summary>
    public readonly void VerifyUnstarted(RequestFeatures features, bool isHead)
    {
        if (features.ResponseHeaders.ContentLength is long length && Written < length
            && !isHead && !StatusForbidsBody(features.StatusCode))
        {
            throw TooFewBytes(length);
        }
    }

    /// <summary>All bytes of the declared length are written.</summary>
    public readonly bool IsReached(RequestFeatures features) => Written == Declared(features);

    /// <summary>The length that the body has to keep; null where nobody counts.</summary>
    private readonly long? Declared(RequestFeatures features) =>
        _isFinal && !IsForbidden ? features.ResponseHeaders.ContentLength : null;

    private static InvalidOperationException TooManyBytes(long written, long length) => new(
        $"The response has a Content-Length of {length}, but {written} bytes were to be written.");

    private readonly InvalidOperationException TooFewBytes(long length) => new(
        $"The response ended after {Written} bytes, but its Content-Length is {length}.");
}
