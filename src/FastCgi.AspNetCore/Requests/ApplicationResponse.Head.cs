using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <content>Head: writes the head into the first record.</content>
internal sealed partial class ApplicationResponse
{
    /// <summary>A 304 renews the page that nginx has, and must not be kept from doing so.</summary>
    private bool IsHeadForNginx => IsHead && features.StatusCode != StatusCodes.Status304NotModified
        && request.Head.Cgi.MayBeFromNginx;

    private bool IsEventStream => features.ResponseHeaders.ContentType is [{ } type, ..]
        && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    /// <exception cref="InvalidOperationException">A header is invalid, or the head exceeds one record.</exception>
    private void WriteHead()
    {
        FastCgiServerOptions options = request.Server.Options;
        var head = new ResponseHead
        {
            StatusCode = features.StatusCode,
            StatusFirst = IsSwitching || request.Role == FastCgiRole.Authorizer,
            ReasonPhrase = features.ReasonPhrase,
            Upgrades = IsSwitching,
            Headers = features.ResponseHeaders,
            EncodingSelector = options.ResponseHeaderEncodingSelector,
            DisableBuffering = _isUnbuffered || IsEventStream,
            DisableCaching = IsHeadForNginx,
            AddServerHeader = options.AddServerHeader,
            FileHeaderName = HandedOver?.HeaderName,
            FileHeaderValue = HandedOver?.HeaderValue,
        };

        // 13. Start: the first write makes the head final.
        if (!TryCommit(head, RecordBlock.FirstSize, out int size, out bool droppedHeaders)
            && !TryCommit(head, RecordBlock.MaxSize, out size, out droppedHeaders))
        {
            throw new InvalidOperationException(
                $"The response head does not fit into one FastCGI record ({RecordBlock.MaxContent} bytes): " +
                "no web server would take it. Send fewer or shorter headers.");
        }

        if (droppedHeaders)
        {
            RequestLog.HeadersDropped(Log, request.Connection.Id, features.TraceIdentifier);
        }

        if (size > RequestLog.LargeHeadSize && request.Server.TryWarnOnce(ServerWarning.LargeResponseHead))
        {
            RequestLog.LargeHead(Log, request.Connection.Id, features.TraceIdentifier, size);
        }
    }

    private bool TryCommit(in ResponseHead head, int bufferSize, out int size, out bool droppedHeaders)
    {
        BufferPool pool = request.Server.Buffers;
        byte[] buffer = pool.Rent(bufferSize);
        bool fits = false;
        size = 0;
        try
        {
            fits = ResponseHeadWriter.TryWrite(RecordBlock.RoomForHead(buffer), head, out size, out droppedHeaders);
        }
        finally
        {
            if (!fits)
            {
                pool.Return(buffer);
            }
        }

        if (fits)
        {
            request.Records.CommitHead(this, buffer, size);
        }

        return fits;
    }
}
