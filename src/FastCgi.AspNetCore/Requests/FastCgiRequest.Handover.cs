using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>A file that the web server sends: the response is a head that names it, and ends with it.</summary>
internal sealed partial class FastCgiRequest
{
    private HandedOverFile? _handedOver;

    /// <summary>What a write behind the end of the response meets.</summary>
    public InvalidOperationException ResponseCompleted() => new(_handedOver is not null
        ? "The response body cannot be written: the web server sends the file, and nothing behind it."
        : "The response body cannot be written: its writer was completed.");

    /// <summary>Part of a file is about to be the body; true where the web server is told to send it.</summary>
    private async ValueTask<bool> TryHandOverAsync(string path, long offset, long count, long fileLength)
    {
        if (_started || IsAborted || Slot.Role != FastCgiRole.Responder)
        {
            return false;
        }

        if (_server.HandoverFolders!.Find(path, out string? obstacle) is not { } file)
        {
            return RefuseHandover(path, obstacle);
        }

        // Before the head is judged: they may change it, or write.
        await FireOnStartingAsync().ConfigureAwait(false);
        if (_started || _writer.Written > 0)
        {
            return false;
        }

        var response = new FileResponse
        {
            Method = _cgi.Method,
            RequestHeaders = ((IHttpRequestFeature)Features).Headers,
            StatusCode = Features.StatusCode,
            Headers = Features.ResponseHeaders,
            Offset = offset,
            Count = count,
            FileLength = fileLength,
        };
        obstacle = response.Obstacle() ?? ObstacleIn(file, response);
        if (obstacle is not null)
        {
            return RefuseHandover(path, obstacle);
        }

        StartHandover(file);
        LogFileHandedOver(Log, ConnectionId, Features.TraceIdentifier, path, file.HeaderName, file.HeaderValue);
        await CompleteResponseAsync().ConfigureAwait(false);
        return true;
    }

    /// <returns>False, always.</returns>
    private bool RefuseHandover(string path, string? obstacle)
    {
        if (obstacle is not null)
        {
            LogFileNotHandedOver(Log, ConnectionId, Features.TraceIdentifier, path, obstacle);
        }

        return false;
    }

    /// <summary>
    /// The head of the whole file without its length: lengths and ranges are the web server's to say. nginx adds an
    /// Accept-Ranges to the application's, Apache has none of its own.
    /// </summary>
    private void StartHandover(HandedOverFile file)
    {
        IHeaderDictionary headers = Features.ResponseHeaders;
        IHttpResponseFeature response = Features;
        var (length, range, acceptRanges) = (headers.ContentLength, headers.ContentRange, headers.AcceptRanges);
        var (status, reason) = (response.StatusCode, response.ReasonPhrase);

        headers.ContentLength = null;
        headers.ContentRange = default;
        if (file.HeaderName == HandoverFolder.XAccelRedirect)
        {
            headers.AcceptRanges = default;
        }

        if (status != StatusCodes.Status200OK)
        {
            (response.StatusCode, response.ReasonPhrase) = (StatusCodes.Status200OK, null);
        }

        _handedOver = file;
        try
        {
            Start(ended: false);
        }
        catch
        {
            // The head cannot be sent; what the application answers instead must not name the file.
            _handedOver = null;
            (headers.ContentLength, headers.ContentRange, headers.AcceptRanges) = (length, range, acceptRanges);
            (response.StatusCode, response.ReasonPhrase) = (status, reason);
            throw;
        }
    }

    /// <summary>Why the web server would not send the file with all its headers; null if it would.</summary>
    private string? ObstacleIn(HandedOverFile file, in FileResponse response)
    {
        if (!SendfileSupport.MayKnow(_cgi.Params.GetBytes(KnownParam.ServerSoftware), file.HeaderName))
        {
            return $"the web server does not know {file.HeaderName}";
        }

        if (file.HeaderName != HandoverFolder.XAccelRedirect
            || response.LostByNginx(file.RelayedHeaders) is not { Count: > 0 } lost)
        {
            return null;
        }

        string names = string.Join(", ", lost);
        if (_server.TryWarnOnce(ServerWarning.HeadersOfFileLost))
        {
            LogHeadersOfFileLost(Log, names);
        }

        return $"nginx would drop {names}";
    }

    [LoggerMessage(LogEvents.FileHandedOver, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the web server sends the file '{Path}'; " +
        "{HeaderName}: {HeaderValue}",
        EventName = nameof(LogEvents.FileHandedOver))]
    private static partial void LogFileHandedOver(
        ILogger logger,
        string connectionId,
        string traceIdentifier,
        string path,
        string headerName,
        string headerValue);

    [LoggerMessage(LogEvents.FileNotHandedOver, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the file '{Path}' is not left to the " +
        "web server, since {Obstacle}.",
        EventName = nameof(LogEvents.FileNotHandedOver))]
    private static partial void LogFileNotHandedOver(
        ILogger logger, string connectionId, string traceIdentifier, string path, string obstacle);

    [LoggerMessage(LogEvents.HeadersOfFileLost, LogLevel.Information,
        "The server sends a file itself, since nginx would drop these headers: {Headers}. Add them in the internal " +
        "location, as in 'add_header X-Name $upstream_http_x_name;', and name them in relayedHeaders. Said once.",
        EventName = nameof(LogEvents.HeadersOfFileLost))]
    private static partial void LogHeadersOfFileLost(ILogger logger, string headers);
}
