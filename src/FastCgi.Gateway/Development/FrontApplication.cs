using FastCgi.Gateway.Forwarding;
using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The application of Kestrel: forwards every request to the FastCGI server. The first request that nginx would refuse
/// causes a warning.
/// </summary>
/// <param name="requests">Forwards requests.</param>
/// <param name="upgrades">Forwards requests that upgrade their connection.</param>
/// <param name="maxBodySize">The limit of the application; null for none.</param>
/// <param name="log">The log.</param>
internal sealed class FrontApplication(
    RequestForwarder requests, RequestForwarder upgrades, long? maxBodySize, ILogger log)
    : IHttpApplication<HttpContext>
{
    /// <summary>The default of nginx's client_max_body_size.</summary>
    private const long NginxMaxBodySize = 1024 * 1024;

    private int _hasLargeBody;
    private int _hasUpgrade;

    public HttpContext CreateContext(IFeatureCollection contextFeatures) => new DefaultHttpContext(contextFeatures);

    public Task ProcessRequestAsync(HttpContext context)
    {
        if (UpgradeRequest.Of(context) is not null)
        {
            if (Interlocked.Exchange(ref _hasUpgrade, 1) == 0)
            {
                DevelopmentLog.UpgradeByScgi(log, context.Request.Path);
            }

            return upgrades.ForwardAsync(context);
        }

        if (context.Request.ContentLength > NginxMaxBodySize && Interlocked.Exchange(ref _hasLargeBody, 1) == 0)
        {
            DevelopmentLog.LargeRequestBody(
                log,
                context.Request.Method,
                context.Request.Path,
                context.Request.ContentLength.Value,
                maxBodySize ?? 0);
        }

        return requests.ForwardAsync(context);
    }

    public void DisposeContext(HttpContext context, Exception? exception)
    {
    }
}
