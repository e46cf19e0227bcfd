namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>The exceptions that reads of a body throw.</summary>
internal static class BodyFailures
{
    public static BadHttpRequestException TooLarge(long? limit) => new(
        $"The request body is larger than the limit of {limit} bytes (MaxRequestBodySize).",
        StatusCodes.Status413PayloadTooLarge);

    public static BadHttpRequestException TooShort(long received, long? declared) => new(
        $"The request body ended after {received} of {declared} bytes: the client left, or the web server cut it.",
        StatusCodes.Status400BadRequest);

    public static BadHttpRequestException TooSlow(double bytesPerSecond) => new(
        $"The request body comes at less than {bytesPerSecond} bytes a second (MinRequestBodyDataRate).",
        StatusCodes.Status408RequestTimeout);

    public static BadHttpRequestException GivenUp() => new(
        "The rest of the request body did not come in time behind the response (RequestBodyDrainTimeout).",
        StatusCodes.Status408RequestTimeout);

    public static BadHttpRequestException Cut() => new(
        "The web server passes the request body on in part: it needs 'scgi_request_buffering on;' (nginx).",
        StatusCodes.Status500InternalServerError);

    public static IOException NotKept(Exception reason) =>
        new("The request body could not be kept in a temporary file.", reason);

    /// <summary>As on Kestrel, the end of a request cancels a read of its upgraded stream that still waits.</summary>
    public static OperationCanceledException ReadAbandoned() =>
        new("The read was cancelled: the request has ended, and its upgraded stream with it.");

    public static ObjectDisposedException RequestIsOver() =>
        new("HttpRequest.Body", "The request has ended: its body is gone.");
}
