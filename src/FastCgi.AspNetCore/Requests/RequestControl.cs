using System.IO.Pipelines;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Body, connection and upgrade of one request, for its features. New for each request.</summary>
internal sealed class RequestControl(FastCgiRequest request) : IRequestControl
{
    // As they are at the beginning: the pooled request has others when this one is over.
    private readonly IRequestConnection _connection = request.Connection;
    private readonly ushort _requestId = request.RequestId;

    private RequestFeatures? _features;
    private ApplicationResponse? _response;
    private RequestBodyReader? _reader;
    private RequestBodyStream? _stream;
    private ConnectionUpgrade? _upgrade;

    public Stream RequestStream => _stream ??= MakeStream();

    public PipeReader RequestReader => _reader ??= MakeReader();

    public bool CanHaveBody =>
        !request.Body.IsKnownEmpty && (request.Head.Cgi.ContentLength != 0 || request.Head.HasCutBody);

    public bool HasBodyReadingStarted => request.Body.HasReadingStarted;

    public MinDataRate? MinBodyDataRate => request.Server.Limits.MinRequestBodyDataRate;

    public MinDataRate? MinResponseDataRate => request.Server.Limits.MinResponseDataRate;

    public string ConnectionId => _connection.Id;

    public EndPoint? PeerEndPoint => _connection.RemoteEndPoint;

    public EndPoint? SocketEndPoint => _connection.LocalEndPoint;

    public Socket Socket => _connection.Socket;

    public ICollection<KeyValuePair<string, object?>>? ConnectionMetricsTags => _connection.MetricsTags;

    public CancellationToken ConnectionClosed => _connection.Closed;

    public CancellationToken ConnectionClosedRequested => _connection.CloseRequested;

    public bool AllowsUpgrade => _connection.AllowsUpgrade && Role == FastCgiRole.Responder;

    public bool IsUpgradable { get; } = request.Head.Cgi.IsUpgradable;

    public bool KeepConnection { get; } = request.KeepConnection;

    public FastCgiRole Role { get; } = request.Role;

    public FastCgiEndpointProtocol Protocol =>
        _connection.HasRecords ? FastCgiEndpointProtocol.FastCgi : FastCgiEndpointProtocol.Scgi;

    public int RequestId => _requestId;

    /// <summary>The features and the response that this object serves.</summary>
    public void Begin(RequestFeatures features, ApplicationResponse response) =>
        (_features, _response) = (features, response);

    /// <summary>The application has left: its stream and its upgrade are dead.</summary>
    public void Stop()
    {
        _stream?.Stop();
        _upgrade?.Stop();
    }

    public Exception? TakeReaderError() => _reader?.TakeError();

    public void RequestConnectionClose() => _connection.RequestClose();

    public void AbortConnection() => _connection.Abort("the application closed the connection");

    public string CreateTraceIdentifier(CgiParams @params) =>
        TraceIdentifiers.Find(@params, request.Server.Options.TraceIdentifierParameter)
        ?? TraceIdentifiers.Create(ConnectionId, ServerContext.NextRequestNumber());

    public Task<Stream> UpgradeAsync()
    {
        if (!IsUpgradable)
        {
            return Task.FromException<Stream>(new InvalidOperationException(
                "The connection cannot be upgraded: the request does not ask for it, or its endpoint does not " +
                "allow it " +
                "(SCGI endpoints do, FastCGI endpoints with AllowUpgrade)."));
        }

        _upgrade ??= new ConnectionUpgrade(request, _features!, _response!);
        return _upgrade.RunAsync();
    }

    public void OnClientCertificateDamaged() => RequestLog.ClientCertificateDamaged(
        request.Server.RequestLog,
        ConnectionId,
        _features!.TraceIdentifier,
        request.Server.Options.ClientCertificateParameter);

    public void OnRemoteAddressUnreadable(ReadOnlySpan<byte> text)
    {
        if (request.Server.TryWarnOnce(ServerWarning.RemoteAddressUnreadable))
        {
            RequestLog.RemoteAddressUnreadable(
                request.Server.RequestLog, ConnectionId, _features!.TraceIdentifier, RejectedValue.Escape(text));
        }
    }

    /// <summary>Sends STDERR records as long as the response has not ended, where the protocol has records.</summary>
    public async ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
    {
        ApplicationResponse response = _response!;

        // Not the waits of the body: CancelPendingFlush must not end this one.
        OutputWaits? waits = null;
        while (_connection.HasRecords && !text.IsEmpty && response.IsOpen)
        {
            int count = RecordWriter.ContentFitting(text.Length);
            byte[] buffer = request.Server.Buffers.Rent(count + FastCgiConstants.HeaderSize);
            RecordWriter.WriteHeader(buffer, RecordType.Stderr, _requestId, count);
            text.Span[..count].CopyTo(buffer.AsSpan(FastCgiConstants.HeaderSize));
            request.Records.SendStderr(response, buffer, count + FastCgiConstants.HeaderSize);
            text = text[count..];
            if (_connection.Output.IsFull)
            {
                waits ??= new OutputWaits(_connection.Output, _connection);
                using var ending = CancellationTokenSource.CreateLinkedTokenSource(
                    cancellationToken, response.RequestAborted);
                await waits.WaitAsync(all: false, ending.Token).ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    /// <summary>A reader that OnCompleted asks for first has an owner without a body, so every read throws.</summary>
    private RequestBodyReader MakeReader() => new(request.Body, _response!.IsOver ? this : _response);

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
