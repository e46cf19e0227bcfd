using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Tells the event source of requests. Their ids and paths are read only where somebody listens.</summary>
internal static class RequestEvents
{
    public static void Start(IRunningRequest request)
    {
        if (FastCgiEventSource.Log.IsEnabled())
        {
            IHttpRequestFeature http = request.Features;
            FastCgiEventSource.Log.RequestStart(
                request.ConnectionId, request.Features.TraceIdentifier, http.Path, http.Method);
        }
    }

    public static void Stop(IRunningRequest request)
    {
        if (FastCgiEventSource.Log.IsEnabled())
        {
            IHttpRequestFeature http = request.Features;
            FastCgiEventSource.Log.RequestStop(
                request.ConnectionId, request.Features.TraceIdentifier, http.Path, http.Method);
        }
    }
}
