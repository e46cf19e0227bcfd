using FastCgi.AspNetCore.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>A request as the runner of its application sees it, in the order of the calls.</summary>
internal interface IRunningRequest
{
    /// <summary>The features that the application sees, from <see cref="TryEnter"/> on.</summary>
    RequestFeatures Features { get; }

    /// <summary>For the events of a request.</summary>
    string ConnectionId { get; }

    /// <summary>The exception that the application failed with; null while there is none.</summary>
    Exception? ApplicationError { get; }

    /// <summary>The last judgement before the application. False: <see cref="EndRejected"/> answers.</summary>
    bool TryEnter();

    /// <summary>Answers a request that the application never sees.</summary>
    void EndRejected();

    /// <summary>An exception escaped from the application.</summary>
    void ReportError(Exception exception);

    /// <summary>The application returned: a response that has not started starts.</summary>
    ValueTask StartAtEndAsync();

    /// <summary>The response ends, whole, as an error, or torn.</summary>
    void End();

    /// <summary>The server itself failed on this request; the socket cannot be trusted with more.</summary>
    void OnServerError(Exception exception);

    /// <summary>The application has left, its response and its callbacks are done.</summary>
    void OnApplicationDone();
}
