using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace FastCgi.AspNetCore.Files;

/// <summary>
/// A response that is about to start and whose body is a file. Decides whether the web server may send the file: it
/// sends all of it, or itself chooses 206 or 304 by the client's Range and If-headers.
/// </summary>
internal readonly ref struct FileResponse
{
    /// <summary>The headers that nginx passes on with X-Accel-Redirect, or creates itself.</summary>
    private static readonly string[] s_keptByNginx =
    [
        HeaderNames.AcceptRanges, HeaderNames.CacheControl, HeaderNames.ContentDisposition, HeaderNames.ContentLength,
        HeaderNames.ContentRange, HeaderNames.ContentType, HeaderNames.Date, HeaderNames.ETag, HeaderNames.Expires,
        HeaderNames.LastModified, HeaderNames.Server, HeaderNames.SetCookie,
    ];

    public required string Method { get; init; }

    public required IHeaderDictionary RequestHeaders { get; init; }

    public required int StatusCode { get; init; }

    public required IHeaderDictionary Headers { get; init; }

    public required long Offset { get; init; }

    public required long Count { get; init; }

    public required long FileLength { get; init; }

    private bool IsWholeFile => Offset == 0 && Count == FileLength;

    /// <summary>The reason why this server must send the file; null if the web server can do it.</summary>
    public string? Obstacle() =>
        !HttpMethods.IsGet(Method) && !HttpMethods.IsHead(Method) ? "the method is neither GET nor HEAD"
        : FileLength == 0 ? "the file is empty"

        // nginx would compare them with its own validators. If the application let the request pass, the client has not
        // seen those.
        : RequestHeaders.ContainsKey(HeaderNames.IfMatch) || RequestHeaders.ContainsKey(HeaderNames.IfUnmodifiedSince)
            ? "the request has If-Match or If-Unmodified-Since"

        // It describes these bytes, and nginx and Apache drop it.
        : Headers.ContainsKey(HeaderNames.ContentEncoding) ? "the response has a Content-Encoding"

        // The web server would derive one from the extension: text/html for a file that should be inert.
        : StringValues.IsNullOrEmpty(Headers.ContentType) ? "the response has no Content-Type"
        : Headers.ContainsKey(HandoverFolder.XAccelRedirect) || Headers.ContainsKey(HandoverFolder.XSendfile)
            ? "the application names a file to the web server by itself"
        : Headers.ContentLength is long length && length != Count ? "the Content-Length is not that of the file"
        : StatusCode switch
        {
            StatusCodes.Status200OK when IsWholeFile && !Headers.ContainsKey(HeaderNames.ContentRange) => null,
            StatusCodes.Status200OK => "it is a part of the file",
            StatusCodes.Status206PartialContent when IsRangeAskedFor() => null,
            StatusCodes.Status206PartialContent => "the part of the file is not the one that the client asked for",
            _ => "the status is neither 200 nor 206",
        };

    /// <summary>The headers that nginx would not pass on; may be empty.</summary>
    /// <param name="relayed">Headers that the location adds with <c>add_header</c> (their first line only).</param>
    public IReadOnlyList<string> LostByNginx(IReadOnlySet<string> relayed) =>
    [
        .. from header in Headers
        where !(header.Value.Count == 1 && relayed.Contains(header.Key))
            && !s_keptByNginx.Contains(header.Key, StringComparer.OrdinalIgnoreCase)
            && !header.Key.StartsWith("X-Accel-", StringComparison.OrdinalIgnoreCase)
        select header.Key,
    ];

    /// <summary>
    /// True if the application sends and declares exactly the single range of the request, cut to the file. The web
    /// server then sends the same, or the whole file if its validators require that.
    /// </summary>
    private bool IsRangeAskedFor() =>
        HttpMethods.IsGet(Method)
        && RangeHeaderValue.TryParse(RequestHeaders.Range.ToString(), out RangeHeaderValue? range)
        && range is { Unit.Value: "bytes", Ranges.Count: 1 }
        && range.Ranges.First() is var asked
        && Offset == (asked.From ?? Math.Max(0, FileLength - asked.To!.Value))
        && Count == (asked is { From: not null, To: { } last } ? Math.Min(last + 1, FileLength) : FileLength) - Offset
        && Headers.ContentRange.ToString() == $"bytes {Offset}-{Offset + Count - 1}/{FileLength}";
}
