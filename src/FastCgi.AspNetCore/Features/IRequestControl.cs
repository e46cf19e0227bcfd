using System.IO.Pipelines;
using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Features;

/// <summary>The request behind its features, except its response.</summary>
internal interface IRequestControl
{
    /// <summary>False only where it is certain that no body comes.</summary>
    bool CanHaveBody { get; }

    /// <summary>The application has begun to read the body: its size limit is fixed.</summary>
    bool HasBodyReadingStarted { get; }

    /// <summary>The server's limit for the rate of a body; null for none.</summary>
    MinDataRate? MinBodyDataRate { get; }

    /// <summary>The server's limit for the rate of a response; null for none.</summary>
    MinDataRate? MinResponseDataRate { get; }

    /// <summary>The same object for the whole request.</summary>
    Stream RequestStream { get; }

    PipeReader RequestReader { get; }

    /// <summary>The exception that the application completed the reader with, told once; else null.</summary>
    Exception? TakeReaderError();

    /// <summary>The id of the FastCGI socket, shared by all requests on it.</summary>
    string ConnectionId { get; }

    /// <summary>A new id for the request, unique in the process, or the one that the params name.</summary>
    string CreateTraceIdentifier(CgiParams @params);

    /// <summary>The peer's end of the socket, which is the web server's.</summary>
    EndPoint? PeerEndPoint { get; }

    /// <summary>Our end of the socket.</summary>
    EndPoint? SocketEndPoint { get; }

    /// <summary>The socket itself. What is read from it or written to it breaks the connection.</summary>
    Socket Socket { get; }

    /// <summary>Tags that the metric of the connection's duration gets; null where nobody measures that.</summary>
    ICollection<KeyValuePair<string, object?>>? ConnectionMetricsTags { get; }

    /// <summary>Cancelled when the socket has gone.</summary>
    CancellationToken ConnectionClosed { get; }

    /// <summary>Cancelled when the server stops or the connection is to close after this request.</summary>
    CancellationToken ConnectionClosedRequested { get; }

    /// <summary>The connection takes no further request after this one.</summary>
    void RequestConnectionClose();

    /// <summary>Aborts the whole FastCGI socket, and with it every request on it.</summary>
    void AbortConnection();

    /// <summary>Requests of this endpoint may upgrade, see <see cref="IsUpgradable"/> for this one.</summary>
    bool AllowsUpgrade { get; }

    /// <summary>The request asks for an upgrade of its connection, and its endpoint allows it.</summary>
    bool IsUpgradable { get; }

    /// <summary>Sends the head of the upgrade; the stream is both directions of the connection.</summary>
    Task<Stream> UpgradeAsync();

    /// <summary>The param that was to hold the client's certificate holds something else; logged.</summary>
    void OnClientCertificateDamaged();

    /// <summary>The application has asked for the client's address, and the web server's text for it is none.</summary>
    void OnRemoteAddressUnreadable(ReadOnlySpan<byte> text);

    /// <summary>The protocol of the connection.</summary>
    FastCgiEndpointProtocol Protocol { get; }

    /// <summary>As BEGIN_REQUEST says (FastCGI 1.0, section 5.1); with SCGI a responder.</summary>
    FastCgiRole Role { get; }

    /// <summary>The id of the request on its connection (FastCGI 1.0, section 3.3).</summary>
    int RequestId { get; }

    /// <summary>FCGI_KEEP_CONN as the peer sent it.</summary>
    bool KeepConnection { get; }

    /// <summary>Sends text to the web server's error log, as FCGI_STDERR records.</summary>
    ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken);
}

/// <summary>The response behind its features, and the abort of the request.</summary>
internal interface IResponseControl
{
    /// <summary>The head is final: nothing of it may change.</summary>
    bool HasStarted { get; }

    /// <summary>The same object for the whole request.</summary>
    Stream Stream { get; }

    /// <summary>The same object for the whole request.</summary>
    PipeWriter Writer { get; }

    /// <summary>Made when first asked for; cancelled on the thread pool.</summary>
    CancellationToken RequestAborted { get; }

    /// <summary>HttpContext.Abort().</summary>
    void Abort();

    /// <summary>Runs OnStarting, then freezes the head. Sends nothing by itself.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Starts if need be, flushes, and ends the response body; later writes throw.</summary>
    Task CompleteAsync();

    /// <summary>Asks the web server to pass every flush on at once. No effect once the response has started.</summary>
    void DisableBuffering();

    /// <summary>Sends bytes of a file as the body, or a part of it.</summary>
    Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken);

    /// <summary>Logs that an OnCompleted callback threw; the others go on.</summary>
    void OnCompletedFailed(Exception exception);
}
