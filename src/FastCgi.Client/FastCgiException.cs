namespace FastCgi.Client;

/// <summary>
/// A request to a FastCGI or SCGI application failed. The message names the endpoint and a remedy. Errors while the
/// content is read are thrown as <see cref="HttpIOException"/> with this exception inside.
/// </summary>
public sealed class FastCgiException : HttpRequestException
{
    /// <summary>Creates an exception with a reason.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="message">A message that names the endpoint and a remedy.</param>
    /// <param name="inner">The cause, or null.</param>
    public FastCgiException(FastCgiError error, string message, Exception? inner = null)
        : base(Classify(error), message, inner) => Error = error;

    /// <summary>The reason.</summary>
    public FastCgiError Error { get; }

    /// <summary>The first exception of this type in <paramref name="exception"/> and its inner ones, or null.</summary>
    public static FastCgiException? Find(Exception? exception)
    {
        while (exception is not (null or FastCgiException))
        {
            exception = exception.InnerException;
        }

        return (FastCgiException?)exception;
    }

    internal static HttpRequestError Classify(FastCgiError error) => error switch
    {
        FastCgiError.ConnectFailed or FastCgiError.ConnectTimeout => System.Net.Http.HttpRequestError.ConnectionError,
        FastCgiError.ConnectionLost or FastCgiError.ResponseEnded => System.Net.Http.HttpRequestError.ResponseEnded,
        FastCgiError.HeadTooLong => System.Net.Http.HttpRequestError.ConfigurationLimitExceeded,
        FastCgiError.PeerSpeaksHttp or FastCgiError.ProtocolViolation or FastCgiError.InvalidHead
            or FastCgiError.Overloaded or FastCgiError.UnknownRole or FastCgiError.CannotMultiplex
            => System.Net.Http.HttpRequestError.InvalidResponse,
        _ => System.Net.Http.HttpRequestError.Unknown,
    };
}
