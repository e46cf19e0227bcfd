using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Tells in the log where the web server's configuration is at fault. Said once, since every request shows it.
/// </summary>
internal static class RequestNotices
{
    /// <summary>The application is about to begin.</summary>
    public static void OnBegun(PooledParts parts, RequestFeatures features)
    {
        CgiRequest cgi = parts.Head.Cgi;
        ServerContext server = parts.Server;
        if (!server.HasWarned(ServerWarning.HostWithoutPort)
            && cgi.HostLostItsPort
            && server.TryWarnOnce(ServerWarning.HostWithoutPort))
        {
            RequestLog.HostWithoutPort(server.RequestLog, cgi.Host, cgi.Params.GetString(KnownParam.ServerPort));
        }

        if (cgi.Params.GetBytes(KnownParam.DocumentUri).SequenceEqual("/index.php"u8)
            && !cgi.Params.GetBytes(KnownParam.RequestUri).StartsWith("/index.php"u8)
            && server.TryWarnOnce(ServerWarning.PhpLeftovers))
        {
            RequestLog.PhpLeftovers(server.RequestLog, cgi.Params.GetString(KnownParam.RequestUri));
        }

        if (cgi.HasForwardingHeader && server.TryWarnOnce(ServerWarning.ForwardingHeader))
        {
            RequestLog.ForwardingHeader(
                server.RequestLog, parts.Slot.Connection.Id, features.TraceIdentifier, cgi.ForwardingParam);
        }

        if (parts.Head.HasCutBody && server.TryWarnOnce(ServerWarning.CutBody))
        {
            RequestLog.CutBody(
                server.RequestLog,
                parts.Slot.Connection.Id,
                features.TraceIdentifier,
                cgi.Params.GetString(KnownParam.HttpContentLength),
                cgi.ContentLength);
        }
    }

    /// <summary>The application never sees the request.</summary>
    public static void OnRejected(PooledParts parts, CgiRejection rejection)
    {
        ServerContext server = parts.Server;
        if (rejection == CgiRejection.EncodingSelectorFailed)
        {
            return;
        }

        if (rejection.StatusCode == StatusCodes.Status500InternalServerError
            && server.TryWarnOnce(ServerWarning.ParamsMissing))
        {
            RequestLog.ParamsMissing(server.RequestLog, rejection.Detail);
        }
        else if (rejection == CgiRejection.NativeGrpc && server.TryWarnOnce(ServerWarning.NativeGrpc))
        {
            RequestLog.NativeGrpc(
                server.RequestLog, parts.Slot.Connection.Id, parts.Slot.RequestId, parts.Head.Cgi.DescribeTarget());
        }
        else
        {
            RequestLog.Rejected(
                server.BadRequestLog,
                parts.Slot.Connection.Id,
                parts.Slot.RequestId,
                parts.Head.Cgi.DescribeRejection(rejection));
        }
    }
}
