using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Plain words where the web server's configuration is at fault; said once, since every request shows it.</summary>
internal sealed partial class FastCgiRequest
{
    /// <summary>nginx gives a response head 4 or 8 KiB by default (fastcgi_buffer_size); beyond, the client gets a 502.</summary>
    private const int LargeHeadSize = 4000;

    private void WarnOfLargeHead(int size)
    {
        if (size > LargeHeadSize && _server.TryWarnOnce(ServerWarning.LargeResponseHead))
        {
            LogLargeHead(Log, ConnectionId, Features.TraceIdentifier, size);
        }
    }

    private void WarnOfHostWithoutPort()
    {
        if (!_server.HasWarned(ServerWarning.HostWithoutPort)
            && _cgi.HostLostItsPort
            && _server.TryWarnOnce(ServerWarning.HostWithoutPort))
        {
            LogHostWithoutPort(Log, _cgi.Host, _cgi.Params.GetString(KnownParam.ServerPort));
        }
    }

    private void WarnOfForwardingHeader()
    {
        if (_cgi.HasForwardingHeader && _server.TryWarnOnce(ServerWarning.ForwardingHeader))
        {
            LogForwardingHeader(Log, ConnectionId, Features.TraceIdentifier, _cgi.ForwardingParam);
        }
    }

    private void WarnOfCutBody()
    {
        if (_server.TryWarnOnce(ServerWarning.CutBody))
        {
            LogCutBody(
                Log,
                ConnectionId,
                Features.TraceIdentifier,
                _cgi.Params.GetString(KnownParam.HttpContentLength),
                ContentLength);
        }
    }

    private void LogRejection(CgiRejection rejection)
    {
        if (rejection.StatusCode == StatusCodes.Status500InternalServerError
            && _server.TryWarnOnce(ServerWarning.ParamsMissing))
        {
            LogParamsMissing(Log, rejection.Detail);
        }
        else
        {
            LogRejected(_server.BadRequestLog, ConnectionId, Slot.RequestId, _cgi.DescribeRejection(rejection));
        }
    }
}
