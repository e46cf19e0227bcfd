using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Tests.Hosting;

/// <summary>An application of one delegate, without the host around it.</summary>
internal sealed class DelegateApplication(RequestDelegate handler) : IHttpApplication<HttpContext>
{
    public static DelegateApplication Hello { get; } = new(static context => context.Response.WriteAsync("hello"));

    public HttpContext CreateContext(IFeatureCollection contextFeatures) => new DefaultHttpContext(contextFeatures);

    public Task ProcessRequestAsync(HttpContext context) => handler(context);

    public void DisposeContext(HttpContext context, Exception? exception)
    {
    }
}
