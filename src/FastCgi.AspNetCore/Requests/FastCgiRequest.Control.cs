using System.IO.Pipelines;
using System.Net;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>What the features ask for, where another part does not answer already.</summary>
internal sealed partial class FastCgiRequest : IRequestControl, IRequestBodyOwner
{
    private RequestBodyStream? _requestStream;
    private ResponseBodyStream? _responseStream;

    /// <summary>Made for this request alone: a stream that an application keeps must never read somebody else's body.</summary>
    public Stream RequestStream => _requestStream ??= new RequestBodyStream(RequestReader, Features);

    public Stream ResponseStream => _responseStream ??= new ResponseBodyStream(_writer, Features);

    public long? MaxRequestBodySize => Features.MaxRequestBodySize;

    /// <summary>Made for this request alone, as the stream is.</summary>
    public PipeReader RequestReader => _reader ??= new RequestBodyReader(Body);

    public PipeWriter ResponseWriter => _writer;

    public bool CanHaveBody => !Body.IsKnownEmpty && (ContentLength != 0 || HasCutBody);

    public bool HasBodyReadingStarted => Body.HasReadingStarted;

    public string ConnectionId => Slot.ConnectionId;

    public EndPoint? PeerEndPoint => Slot.RemoteEndPoint;

    public EndPoint? SocketEndPoint => Slot.LocalEndPoint;

    public CancellationToken ConnectionClosed => Slot.Closed;

    public CancellationToken ConnectionClosedRequested => Slot.CloseRequested;

    int IRequestControl.Role => (int)Slot.Role;

    int IRequestControl.RequestId => Slot.RequestId;

    bool IRequestControl.KeepConnection => Slot.KeepConnection;

    private void StopStreams()
    {
        _requestStream?.Stop();
        _requestStream = null;
        _responseStream?.Stop();
        _responseStream = null;
        StopUpgraded();
        Body.EndReading();
        _writer.Stop();
    }

    public void RequestConnectionClose() => Slot.RequestClose();

    public void AbortConnection() => Slot.AbortConnection("the application closed the connection");

    public string CreateTraceIdentifier() => TraceIdentifiers.Create(ConnectionId, ServerContext.NextRequestNumber());

    public void DisableResponseBuffering() => _unbuffered = true;

    public void OnBodyReadingStarted()
    {
        // Most logs do not want it, and the identifiers would be made for it alone.
        if (Log.IsEnabled(LogLevel.Debug))
        {
            LogBodyStarted(Log, ConnectionId, Features.TraceIdentifier);
        }
    }

    public bool TryContinueAfterRead(Action<object?> action, object? state) =>
        Slot.TryContinueAfterRead(action, state);

    public void OnCompletedFailed(Exception exception) =>
        LogApplicationError(Log, exception, ConnectionId, Features.TraceIdentifier);

    public void OnClientCertificateDamaged() => LogClientCertificateDamaged(
        Log, ConnectionId, Features.TraceIdentifier, _server.Options.ClientCertificateParam);

    public async ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
    {
        while (!text.IsEmpty && !IsAborted && !_wireEnded && Slot.HasRecords)
        {
            int count = RecordWriter.ContentFitting(text.Length);
            byte[] buffer = _server.Buffers.Rent(count + FastCgiConstants.HeaderSize);
            RecordWriter.WriteHeader(buffer, RecordType.Stderr, Slot.RequestId, count);
            text.Span[..count].CopyTo(buffer.AsSpan(FastCgiConstants.HeaderSize));
            if (Slot.Output.Send(buffer, 0, count + FastCgiConstants.HeaderSize, isAnswer: false) != SendOutcome.Queued)
            {
                _server.Buffers.Return(buffer);
            }

            text = text[count..];
            if (Slot.Output.IsFull)
            {
                await _writer.WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
