using System.Net.WebSockets;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>The exception of an application, and the status for it. Written by the application's flow.</summary>
internal struct ApplicationFailure
{
    private int? _badRequestStatus;

    /// <summary>Null while it did not fail.</summary>
    public Exception? Error { get; private set; }

    /// <summary>
    /// The status of the answer where the application sends none. An exception may carry any number: what is not the
    /// status of an error is 500.
    /// </summary>
    public readonly int StatusCode =>
        _badRequestStatus is >= StatusCodes.Status400BadRequest and <= 599 and int status
            ? status
            : StatusCodes.Status500InternalServerError;

    /// <summary>Keeps and logs what escaped from the application.</summary>
    /// <param name="exception">What escaped.</param>
    /// <param name="parts">Of the request.</param>
    /// <param name="features">Of the request.</param>
    /// <param name="isClientGone">What the application meets by that is no error.</param>
    public void Report(Exception exception, PooledParts parts, RequestFeatures features, bool isClientGone)
    {
        ILogger log = parts.Server.RequestLog;
        string connectionId = parts.Slot.Connection.Id;
        if (exception is BadHttpRequestException badRequest)
        {
            _badRequestStatus ??= badRequest.StatusCode;
            Error ??= exception;
            RequestLog.BadRequest(log, connectionId, features.TraceIdentifier, badRequest.Message);
        }
        else if (isClientGone && exception is OperationCanceledException or IOException or WebSocketException)
        {
            RequestLog.AbortedQuietly(log, exception, connectionId, features.TraceIdentifier);
        }
        else
        {
            Error = Error is null ? exception : new AggregateException(Error, exception);
            RequestLog.ApplicationError(log, exception, connectionId, features.TraceIdentifier);
        }
    }
}
