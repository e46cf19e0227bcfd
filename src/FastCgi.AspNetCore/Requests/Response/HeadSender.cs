using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>Writes the head of a response into its first record.</summary>
internal static class HeadSender
{
    /// <exception cref="InvalidOperationException">A header is invalid, or the head exceeds one record.</exception>
    public static void Write(
        object owner,
        PooledParts parts,
        RequestFeatures features,
        bool isUpgrade,
        bool isUnbuffered,
        HandedOverFile? file)
    {
        FastCgiServerOptions options = parts.Server.Options;
        var head = new ResponseHead
        {
            StatusCode = features.StatusCode,
            StatusFirst = isUpgrade || parts.Slot.Role == FastCgiRole.Authorizer,
            ReasonPhrase = features.ReasonPhrase,
            Upgrades = isUpgrade,
            Headers = features.ResponseHeaders,
            EncodingSelector = options.ResponseHeaderEncodingSelector,
            DisableBuffering = isUnbuffered || IsEventStream(features),
            DisableCaching = IsHeadForNginx(parts.Head.Cgi, features.StatusCode),
            AddServerHeader = options.AddServerHeader,
            FileHeaderName = file?.HeaderName,
            FileHeaderValue = file?.HeaderValue,
        };

        // 13. Start: the first write makes the head final.
        if (!TryCommit(owner, parts, head, RecordBlock.FirstSize, out int size, out bool droppedHeaders)
            && !TryCommit(owner, parts, head, RecordBlock.MaxSize, out size, out droppedHeaders))
        {
            throw new InvalidOperationException(
                $"The response head does not fit into one FastCGI record ({RecordBlock.MaxContent} bytes): " +
                "no web server would take it. Send fewer or shorter headers.");
        }

        if (droppedHeaders)
        {
            RequestLog.HeadersDropped(parts.Server.RequestLog, parts.Slot.Connection.Id, features.TraceIdentifier);
        }

        if (size > RequestLog.LargeHeadSize && parts.Server.TryWarnOnce(ServerWarning.LargeResponseHead))
        {
            RequestLog.LargeHead(parts.Server.RequestLog, parts.Slot.Connection.Id, features.TraceIdentifier, size);
        }
    }

    private static bool TryCommit(
        object owner,
        PooledParts parts,
        in ResponseHead head,
        int bufferSize,
        out int size,
        out bool droppedHeaders)
    {
        BufferPool pool = parts.Server.Buffers;
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
            parts.Records.CommitHead(owner, buffer, size);
        }

        return fits;
    }

    /// <summary>A 304 renews the page that nginx has, and must not be kept from doing so.</summary>
    private static bool IsHeadForNginx(CgiRequest request, int status) =>
        HttpMethods.IsHead(request.Method) && status != StatusCodes.Status304NotModified && request.MayBeFromNginx;

    private static bool IsEventStream(RequestFeatures features) =>
        features.ResponseHeaders.ContentType is [{ } type, ..]
        && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);
}
