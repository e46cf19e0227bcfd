using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Asks the application about header values that are not UTF-8: the first user code of a request.</summary>
internal static class EncodingCheck
{
    /// <summary>False: the request is rejected.</summary>
    public static bool TryPass(PooledParts parts)
    {
        try
        {
            if (parts.Head.Cgi.CheckEncodings() is { } rejection)
            {
                parts.Head.Reject(rejection);
            }
        }
        catch (Exception exception)
        {
            string connectionId = parts.Slot.ConnectionId;
            string id = TraceIdentifiers.Create(connectionId, ServerContext.NextRequestNumber());
            RequestLog.ApplicationError(parts.Server.RequestLog, exception, connectionId, id);
            parts.Head.Reject(CgiRejection.EncodingSelectorFailed);
        }

        return parts.Head.Rejection is null;
    }
}
