using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Leaves a file to the web server: the response is a head that names the file, and the request is over with it.
/// </summary>
internal sealed class HandoverAttempt(
    IFileResponse response, PooledParts parts, RequestFeatures features, HandoverFolders folders)
{
    private ILogger Log => parts.Server.RequestLog;

    /// <summary>True when the web server was told to send the file; false when this server has to.</summary>
    public async ValueTask<bool> TryAsync(string path, long offset, long count, long fileLength)
    {
        if (response.HasStarted || response.IsAborted || parts.Slot.Role != FastCgiRole.Responder)
        {
            return false;
        }

        if (folders.Find(path, out string? obstacle) is not { } file)
        {
            return Refuse(path, obstacle);
        }

        await response.RunCallbacksAsync().ConfigureAwait(false);
        if (response.HasContent)
        {
            return false;
        }

        if (!features.AllowsFileHandover)
        {
            return Refuse(path, "AllowFileHandover of the request is false");
        }

        if (Obstacle(file, offset, count, fileLength) is { } reason)
        {
            return Refuse(path, reason);
        }

        await StartAsync(file).ConfigureAwait(false);
        RequestLog.FileHandedOver(
            Log, parts.Slot.Connection.Id, features.TraceIdentifier, path, file.HeaderName, file.HeaderValue);
        await response.CompleteAsync().ConfigureAwait(false);
        return true;
    }

    /// <summary>Why this server has to send the file; null where the web server can.</summary>
    private string? Obstacle(HandedOverFile file, long offset, long count, long fileLength)
    {
        var fileResponse = new FileResponse
        {
            Method = parts.Head.Cgi.Method,
            RequestHeaders = ((IHttpRequestFeature)features).Headers,
            StatusCode = features.StatusCode,
            Headers = features.ResponseHeaders,
            Offset = offset,
            Count = count,
            FileLength = fileLength,
        };
        return fileResponse.Obstacle() ?? ObstacleIn(file, fileResponse);
    }

    /// <summary>Why the web server would not send the file with all its headers; null if it would.</summary>
    private string? ObstacleIn(HandedOverFile file, in FileResponse fileResponse)
    {
        CgiRequest cgi = parts.Head.Cgi;
        if (!SendfileSupport.MayKnow(
            cgi.Params.GetBytes(KnownParam.ServerSoftware), cgi.IsFromNginx, file.HeaderName))
        {
            return $"the web server does not know {file.HeaderName}";
        }

        if (file.HeaderName != HandoverFolder.XAccelRedirect
            || fileResponse.LostByNginx(folders.RelayedHeaders) is not { Count: > 0 } lost)
        {
            return null;
        }

        string names = string.Join(", ", lost);
        if (parts.Server.TryWarnOnce(ServerWarning.HeadersOfFileLost))
        {
            RequestLog.HeadersOfFileLost(Log, names);
        }

        return $"nginx would drop {names}";
    }

    /// <returns>False, always.</returns>
    private bool Refuse(string path, string? obstacle)
    {
        if (obstacle is not null)
        {
            RequestLog.FileNotHandedOver(Log, parts.Slot.Connection.Id, features.TraceIdentifier, path, obstacle);
        }

        return false;
    }

    /// <summary>
    /// The head of the whole file without its length: lengths and ranges are the web server's to say. nginx adds an
    /// Accept-Ranges to the application's, Apache has none of its own.
    /// </summary>
    private async Task StartAsync(HandedOverFile file)
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

        response.HandedOver = file;
        try
        {
            await response.StartAsync(CancellationToken.None).ConfigureAwait(false);
        }
        catch
        {
            // The head cannot be sent; what the application answers instead must not name the file.
            response.HandedOver = null;
            (headers.ContentLength, headers.ContentRange, headers.AcceptRanges) = (length, range, acceptRanges);
            (head.StatusCode, head.ReasonPhrase) = (status, reason);
            throw;
        }
    }
}
