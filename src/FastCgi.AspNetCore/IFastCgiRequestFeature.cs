using FastCgi.Protocol;

namespace FastCgi.AspNetCore;

/// <summary>
/// The facts of a request that FastCGI has beyond HTTP. Taken from <c>HttpContext.Features</c>, it is good for that
/// request only: after the end of the request it throws <see cref="ObjectDisposedException"/>. SCGI endpoints have it
/// too; their headers are the params.
/// </summary>
public interface IFastCgiRequestFeature
{
    /// <summary>The protocol of the endpoint that the request came by.</summary>
    FastCgiEndpointProtocol Protocol { get; }

    /// <summary><see cref="FastCgiRole.Responder"/> or <see cref="FastCgiRole.Authorizer"/> (FastCGI 1.0, section
    /// 5.1); no other role reaches the application. Always a responder with SCGI.</summary>
    FastCgiRole Role { get; }

    /// <summary>
    /// The id that the web server gave the request, 1 to 65535 (section 3.3). Unique among the requests that are
    /// active on the socket, and used again at once: to name a request in a log take
    /// <c>HttpContext.TraceIdentifier</c>. Always 1 with SCGI, which has no ids.
    /// </summary>
    int RequestId { get; }

    /// <summary>The FCGI_KEEP_CONN flag as it was sent: the web server wants to use the socket again. False
    /// with SCGI.</summary>
    bool KeepConnection { get; }

    /// <summary>
    /// The web server may send the files of this response itself, where the endpoint names directories for it, see
    /// <see cref="FastCgiListenOptions.FileHandover"/>. Default true. False: this server sends them.
    /// </summary>
    /// <exception cref="InvalidOperationException">Set after the response has started.</exception>
    bool AllowFileHandover { get; set; }

    /// <summary>The id of the FastCGI socket. Requests of many clients share a socket, so it does not name a
    /// client.</summary>
    string ConnectionId { get; }

    /// <summary>How many params the web server sent.</summary>
    int ParameterCount { get; }

    /// <summary>The name of a param, in the order of arrival. The bytes are those of a shared buffer: copy what is
    /// to outlive the request.</summary>
    /// <param name="index">From 0 to <see cref="ParameterCount"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such param.</exception>
    ReadOnlySpan<byte> GetParameterName(int index);

    /// <summary>The value of a param, perhaps empty and in no certain encoding. It is as it was sent, but without the
    /// blanks around the value of <c>HTTP_*</c> and CONTENT_TYPE. The bytes are those of a shared buffer.</summary>
    /// <param name="index">From 0 to <see cref="ParameterCount"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such param.</exception>
    ReadOnlySpan<byte> GetParameterValue(int index);

    /// <summary>The value of the param of this name, as the web server sent it. <c>HttpContext.GetServerVariable</c>
    /// has as text what <c>HttpContext</c> has no property for, and no header.</summary>
    /// <param name="name">Compared as it is and, when no param fits, without regard to case. A name that this server
    /// itself reads, such as REMOTE_USER, finds no param in another case.</param>
    /// <param name="value">The bytes as <see cref="GetParameterValue"/> has them; of params with the same name the
    /// last.</param>
    /// <returns>False where the web server sent no such param, or an empty one.</returns>
    /// <exception cref="ArgumentException">The name is null or empty.</exception>
    bool TryGetParameter(string name, out ReadOnlySpan<byte> value);

    /// <summary>
    /// Sends text to the web server's error log (FCGI_STDERR, section 5.3). Web servers treat it differently: some
    /// log each line, some cut long ones, some count it as a failed request. Does nothing with SCGI, which has no
    /// such stream.
    /// </summary>
    /// <param name="text">UTF-8, best a line without its end. Empty text sends nothing.</param>
    /// <param name="cancellationToken">Ends the wait for the web server to take the text.</param>
    ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken = default);
}
