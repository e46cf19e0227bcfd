using System.Text;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.Testing;

/// <summary>The response to one request, or the part of it that has arrived.</summary>
public sealed class FastCgiTestResponse
{
    internal FastCgiTestResponse(
        int statusCode,
        IHeaderDictionary headers,
        ReadOnlyMemory<byte> body,
        ReadOnlyMemory<byte> standardError,
        EndRequestBody? endRequest)
    {
        StatusCode = statusCode;
        Headers = headers;
        Body = body;
        StandardError = Encoding.UTF8.GetString(standardError.Span);
        EndRequest = endRequest;
    }

    /// <summary>The status of the response; 200 for a head without one, 0 if no complete head has arrived.</summary>
    public int StatusCode { get; }

    /// <summary>The headers, read-only and without Status. Empty if no complete head has arrived.</summary>
    public IHeaderDictionary Headers { get; }

    /// <summary>All bytes of the body that have arrived.</summary>
    public ReadOnlyMemory<byte> Body { get; }

    /// <summary>The body as UTF-8.</summary>
    public string Text => Encoding.UTF8.GetString(Body.Span);

    /// <summary>The application's STDERR, as UTF-8. Empty if it wrote nothing.</summary>
    public string StandardError { get; }

    /// <summary>
    /// The body of END_REQUEST: application status and protocol status (FastCGI 1.0, section 5.5). Null if it has not
    /// arrived.
    /// </summary>
    public EndRequestBody? EndRequest { get; }

    /// <summary>
    /// True if END_REQUEST has arrived. A response that was read to its end without it was torn: the server failed
    /// midway, or closed the connection.
    /// </summary>
    public bool IsComplete => EndRequest is not null;

    /// <summary>The status, the size of the body and the end of the response.</summary>
    public override string ToString() =>
        $"status {StatusCode}, {Body.Length} bytes, " +
        (EndRequest is { } end ? $"{end.ProtocolStatus} with status {end.AppStatus}" : "no END_REQUEST");
}
