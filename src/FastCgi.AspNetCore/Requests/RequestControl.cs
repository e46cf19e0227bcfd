using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// What the features of one request ask for, where the response does not answer: its body, its connection, its
/// upgrade. A new object for each request.
/// </summary>
internal sealed class RequestControl(PooledParts parts) : IRequestControl
{
    private RequestFeatures? _features;
    private ApplicationResponse? _response;
    private RequestBodyReader? _reader;
    private RequestBodyStream? _stream;
    private ConnectionUpgrade? _upgrade;

    public Stream RequestStream => _stream ??= MakeStream();

    public PipeReader RequestReader => _reader ??= MakeReader();

    /// <summary>What the application completed the reader with, or null.</summary>
    public Exception? ReaderError => _reader?.CompletedWith;

    public bool CanHaveBody => !parts.Body.IsKnownEmpty && (parts.Head.Cgi.ContentLength != 0 || parts.Head.HasCutBody);

    public bool HasBodyReadingStarted => parts.Body.HasReadingStarted;

    public MinDataRate? MinBodyDataRate => parts.Server.Limits.MinRequestBodyDataRate;

    public MinDataRate? MinResponseDataRate => parts.Server.Limits.MinResponseDataRate;

    public string ConnectionId => parts.Slot.ConnectionId;

    public EndPoint? PeerEndPoint => parts.Slot.RemoteEndPoint;

    public EndPoint? SocketEndPoint => parts.Slot.LocalEndPoint;

    public Socket Socket => parts.Slot.Socket;

    public ICollection<KeyValuePair<string, object?>>? ConnectionMetricsTags => parts.Slot.ConnectionMetricsTags;

    public CancellationToken ConnectionClosed => parts.Slot.Closed;

    public CancellationToken ConnectionClosedRequested => parts.Slot.CloseRequested;

    public bool AllowsUpgrade => parts.Slot.AllowsUpgrade && parts.Slot.Role == FastCgiRole.Responder;

    public bool IsUpgradable => parts.Head.Cgi.IsUpgradable;

    public bool KeepConnection => parts.Slot.KeepConnection;

    public FastCgiRole Role => parts.Slot.Role;

    public FastCgiEndpointProtocol Protocol =>
        parts.Slot.HasRecords ? FastCgiEndpointProtocol.FastCgi : FastCgiEndpointProtocol.Scgi;

    public int RequestId => parts.Slot.RequestId;

    /// <summary>The features and the response that this object serves.</summary>
    public void Begin(RequestFeatures features, ApplicationResponse response) =>
        (_features, _response) = (features, response);

    /// <summary>The application has left: its stream and its upgrade are dead.</summary>
    public void Stop()
    {
        _stream?.Stop();
        _upgrade?.Stop();
    }

    public void RequestConnectionClose() => parts.Slot.RequestClose();

    public void AbortConnection() => parts.Slot.AbortConnection("the application closed the connection");

    public string CreateTraceIdentifier() =>
        TraceIdentifiers.Find(parts.Head.Cgi.Params, parts.Server.Options.TraceIdentifierParameter)
        ?? TraceIdentifiers.Create(ConnectionId, ServerContext.NextRequestNumber());

    public Task<Stream> UpgradeAsync()
    {
        if (!IsUpgradable)
        {
            throw new InvalidOperationException(
                "The connection cannot be upgraded: the request does not ask for it, or its endpoint does not " +
                "allow it " +
                "(SCGI endpoints do, FastCGI endpoints with AllowUpgrade).");
        }

        _upgrade ??= new ConnectionUpgrade(parts, _features!, _response!);
        return _upgrade.RunAsync();
    }

    public void OnClientCertificateDamaged() => RequestLog.ClientCertificateDamaged(
        parts.Server.RequestLog,
        ConnectionId,
        _features!.TraceIdentifier,
        parts.Server.Options.ClientCertificateParameter);

    public ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken) =>
        StderrWriter.WriteAsync(_response!, parts, text, cancellationToken);

    /// <summary>One that OnCompleted asks for first is dead from the beginning.</summary>
    private RequestBodyReader MakeReader()
    {
        var reader = new RequestBodyReader(parts.Body);
        if (_response!.IsOver)
        {
            parts.Body.EndReading();
        }

        return reader;
    }

    private RequestBodyStream MakeStream()
    {
        var stream = new RequestBodyStream(RequestReader, _features!);
        if (_response!.IsOver)
        {
            stream.Stop();
        }

        return stream;
    }
}
