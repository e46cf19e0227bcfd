using FastCgi.Protocol;

namespace FastCgi.AspNetCore;

/// <summary>
/// The properties of a request that FastCGI has beyond HTTP, from <c>HttpContext.Features</c>. Valid for that request
/// only: after its end it throws <see cref="ObjectDisposedException"/>. SCGI endpoints have it too; their headers are
/// the params.
/// </summary>
public interface IFastCgiRequestFeature
{
    /// <summary>The protocol of the request's endpoint.</summary>
    FastCgiEndpointProtocol Protocol { get; }

    /// <summary><see cref="FastCgiRole.Responder"/> or <see cref="FastCgiRole.Authorizer"/> (FastCGI 1.0, section
    /// 5.1); no other role reaches the application. Always a responder with SCGI.</summary>
    FastCgiRole Role { get; }

    /// <summary>
    /// The id that the web server gave the request, 1 to 65535 (section 3.3). Unique among the active requests of the
    /// socket, and reused at once. To name a request in a log, use <c>HttpContext.TraceIdentifier</c>. Always 1 with
    /// SCGI, which has no ids.
    /// </summary>
    int RequestId { get; }

    /// <summary>The FCGI_KEEP_CONN flag: true if the web server wants to reuse the socket. False with SCGI.</summary>
    bool KeepConnection { get; }

    /// <summary>
    /// Lets the web server send the files of this response, if the endpoint names directories for that, see
    /// <see cref="FastCgiListenOptions.FileHandover"/>. Default true. If false, this server sends them.
    /// </summary>
    /// <exception cref="InvalidOperationException">Set after the response has started.</exception>
    bool AllowFileHandover { get; set; }

    /// <summary>The id of the FastCGI socket. Many clients share a socket, so it does not identify a client.</summary>
    string ConnectionId { get; }

    /// <summary>The number of params that the web server sent.</summary>
    int ParameterCount { get; }

    /// <summary>
    /// The name of a param, in the order of arrival. The bytes are in a shared buffer: copy them to keep them.
    /// </summary>
    /// <param name="index">From 0 to <see cref="ParameterCount"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such param.</exception>
    ReadOnlySpan<byte> GetParameterName(int index);

    /// <summary>
    /// The value of a param, which may be empty and in an unknown encoding. It is as sent, except that the whitespace
    /// around the value of <c>HTTP_*</c> and CONTENT_TYPE is removed. The bytes are in a shared buffer.
    /// </summary>
    /// <param name="index">From 0 to <see cref="ParameterCount"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such param.</exception>
    ReadOnlySpan<byte> GetParameterValue(int index);

    /// <summary>
    /// The value of a param by name, as the web server sent it. <c>HttpContext.GetServerVariable</c> returns as text
    /// only values for which <c>HttpContext</c> has no property, and no headers.
    /// </summary>
    /// <param name="name">
    /// An exact match wins over one that differs in case. A name that this server itself uses, such as REMOTE_USER,
    /// never matches in another case.
    /// </param>
    /// <param name="value">
    /// The bytes, as in <see cref="GetParameterValue"/>. If several params have the name, the last one counts.
    /// </param>
    /// <returns>False if the web server did not send the param, or sent an empty one.</returns>
    /// <exception cref="ArgumentException">The name is null or empty.</exception>
    bool TryGetParameter(string name, out ReadOnlySpan<byte> value);

    /// <summary>
    /// Sends text to the web server's error log (FCGI_STDERR, section 5.3). Web servers differ: some log each line,
    /// some cut long ones, some count the request as failed. Does nothing with SCGI, which has no such stream.
    /// </summary>
    /// <param name="text">UTF-8, preferably one line without a line end. Empty text sends nothing.</param>
    /// <param name="cancellationToken">Ends the wait for the web server to take the text.</param>
    ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken = default);
}
