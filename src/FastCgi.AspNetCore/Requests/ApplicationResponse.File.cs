using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <content>
/// File: sends a file or a part of it as the body, from the page cache directly into the records, on the application's
/// thread. Bytes that must come from a disk first block that thread for a while, as applications may. Or leaves the
/// file to the web server: the response is only a head that names the file, and the request ends with it.
/// </content>
internal sealed partial class ApplicationResponse
{
    private const int CopySize = 32 * 1024;

    /// <summary>Below this size, a copy costs less than a record: head, content and end share a send.</summary>
    private const int SmallestSent = 32 * 1024;

    /// <summary>The file that the web server sends as the body, or null. Set before the start.</summary>
    private HandedOverFile? HandedOver { get; set; }

    /// <summary>Sends a file or a part of it as the body.</summary>
    public async Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using SafeFileHandle file = File.OpenHandle(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        long length = RandomAccess.GetLength(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, length);
        long remaining = count ?? (length - offset);
        ArgumentOutOfRangeException.ThrowIfNegative(remaining, nameof(count));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(remaining, length - offset, nameof(count));

        if (remaining == 0)
        {
            // As on Kestrel: a response of nothing but an empty file has a Content-Length of 0.
            return;
        }

        ThrowIfUnwritable();
        if (Connection.Endpoint.FileHandover.Folders is { } folders
            && await TryHandOverAsync(folders, path, new FileSpan(offset, remaining, length)).ConfigureAwait(false))
        {
            return;
        }

        ResponsePipeWriter writer = BodyWriter;
        if (!HasStarted)
        {
            // The start checks the length of the whole file. Each piece is counted when it is written.
            await StartAsync(cancellationToken, remaining).ConfigureAwait(false);
            Uncount(remaining);
        }

        while (remaining > 0 && !IsAborted)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (WaitForUpload(Math.Min(remaining, CopySize)) is { } held)
            {
                await writer.WaitForUploadAsync(held, cancellationToken).ConfigureAwait(false);
            }

            if (Records.IsRestWaiting)
            {
                await writer.WaitForWriteAsync(cancellationToken).ConfigureAwait(false);
            }

            long done = 0;
            bool isThere = remaining < SmallestSent || writer.TrySendFile(file, offset, remaining, out done);
            bool isCopied = done == 0;
            if (isCopied)
            {
                isThere = TryCopy(file, offset, remaining, out done);
            }

            if (!isThere)
            {
                throw new EndOfStreamException(
                    $"The file '{path}' became shorter while it was sent: some of its last {remaining} bytes are " +
                    $"missing.");
            }

            offset += done;
            remaining -= done;
            if (!isCopied || Connection.Output.IsFull)
            {
                await writer.WaitForOutputAsync(cancellationToken, all: !isCopied).ConfigureAwait(false);
            }
        }

        await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
    }

    private bool TryCopy(SafeFileHandle file, long offset, long remaining, out long copied)
    {
        Memory<byte> memory = BodyWriter.GetMemory((int)Math.Min(remaining, CopySize));
        int read = 0;
        try
        {
            read = RandomAccess.Read(file, memory.Span[..(int)Math.Min(remaining, memory.Length)], offset);
        }
        finally
        {
            if (read == 0)
            {
                Cut();
            }
        }

        BodyWriter.Advance(read);
        copied = read;
        return read > 0;
    }

    /// <summary>True if the web server was told to send the file; false if this server has to send it.</summary>
    private async ValueTask<bool> TryHandOverAsync(HandoverFolders folders, string path, FileSpan part)
    {
        if (HasStarted || IsAborted || request.Role != FastCgiRole.Responder)
        {
            return false;
        }

        if (folders.Find(path, out string? obstacle) is { } file)
        {
            await RunCallbacksAsync().ConfigureAwait(false);
            if (HasStarted || _written > 0)
            {
                return false;
            }

            obstacle = Obstacle(folders, file, part);
            if (obstacle is null)
            {
                await StartHandoverAsync(file).ConfigureAwait(false);
                RequestLog.FileHandedOver(
                    Log, Connection.Id, features.TraceIdentifier, path, file.HeaderName, file.HeaderValue);
                await CompleteAsync().ConfigureAwait(false);
                return true;
            }
        }

        if (obstacle is not null)
        {
            RequestLog.FileNotHandedOver(Log, Connection.Id, features.TraceIdentifier, path, obstacle);
        }

        return false;
    }

    /// <summary>The reason why this server has to send the file; null if the web server sends it whole.</summary>
    private string? Obstacle(HandoverFolders folders, HandedOverFile file, FileSpan part)
    {
        if (!features.AllowsFileHandover)
        {
            return "AllowFileHandover of the request is false";
        }

        CgiRequest cgi = request.Head.Cgi;
        var fileResponse = new FileResponse
        {
            Method = cgi.Method,
            RequestHeaders = ((IHttpRequestFeature)features).Headers,
            StatusCode = features.StatusCode,
            Headers = features.ResponseHeaders,
            Offset = part.Offset,
            Count = part.Count,
            FileLength = part.FileLength,
        };
        if (fileResponse.Obstacle() is { } obstacle)
        {
            return obstacle;
        }

        if (!MayKnowHeader(cgi, file.HeaderName))
        {
            return $"the web server does not know {file.HeaderName}";
        }

        if (file.HeaderName != HandoverFolder.XAccelRedirect
            || fileResponse.LostByNginx(folders.RelayedHeaders) is not { Count: > 0 } lost)
        {
            return null;
        }

        string names = string.Join(", ", lost);
        if (request.Server.TryWarnOnce(ServerWarning.HeadersOfFileLost))
        {
            RequestLog.HeadersOfFileLost(Log, names);
        }

        return $"nginx would drop {names}";
    }

    /// <summary>
    /// Starts with the head of the whole file without its length: the web server decides on lengths and ranges. nginx
    /// adds its own Accept-Ranges to the application's; Apache adds none.
    /// </summary>
    private async Task StartHandoverAsync(HandedOverFile file)
    {
        IHeaderDictionary headers = features.ResponseHeaders;
        IHttpResponseFeature head = features;
        var (length, range, acceptRanges) = (headers.ContentLength, headers.ContentRange, headers.AcceptRanges);
        var (status, reason) = (head.StatusCode, head.ReasonPhrase);

        headers.ContentLength = null;
        headers.ContentRange = default;
        if (file.HeaderName == HandoverFolder.XAccelRedirect)
        {
            headers.AcceptRanges = default;
        }

        if (status != StatusCodes.Status200OK)
        {
            (head.StatusCode, head.ReasonPhrase) = (StatusCodes.Status200OK, null);
        }

        HandedOver = file;
        try
        {
            await StartAsync(CancellationToken.None).ConfigureAwait(false);
        }
        catch
        {
            // The head cannot be sent. The answer that the application sends instead must not name the file.
            HandedOver = null;
            (headers.ContentLength, headers.ContentRange, headers.AcceptRanges) = (length, range, acceptRanges);
            (head.StatusCode, head.ReasonPhrase) = (status, reason);
            throw;
        }
    }

    /// <summary>
    /// False for a web server that would pass on the header, X-Accel-Redirect or X-Sendfile, and an empty body to its
    /// client. One of an unknown name may be a relative of one that knows it, and our own gateway knows both.
    /// </summary>
    private static bool MayKnowHeader(CgiRequest cgi, string headerName)
    {
        ReadOnlySpan<byte> software = cgi.Params.GetBytes(KnownParam.ServerSoftware);
        return cgi.IsFromNginx ? headerName == HandoverFolder.XAccelRedirect
            : software.StartsWith("Apache"u8) || software.StartsWith("lighttpd"u8)
                ? headerName == HandoverFolder.XSendfile
            : cgi.MayBeFromNginx || software.StartsWith("FastCgi."u8);
    }

    /// <summary>A part of a file, and the length of the whole file.</summary>
    private readonly record struct FileSpan(long Offset, long Count, long FileLength);
}
