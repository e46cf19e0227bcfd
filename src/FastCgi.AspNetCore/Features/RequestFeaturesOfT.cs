using System.Text;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;

namespace FastCgi.AspNetCore.Features;

/// <summary>
/// Keeps the host's context, and with it the HttpContext, from one request to the next: the host looks for
/// <see cref="IHostContextContainer{TContext}"/> on the feature collection itself.
/// </summary>
internal sealed class RequestFeatures<TContext>(Func<string, Encoding?>? responseHeaderEncodingSelector = null)
    : RequestFeatures(responseHeaderEncodingSelector), IHostContextContainer<TContext>
    where TContext : notnull
{
    TContext? IHostContextContainer<TContext>.HostContext { get; set; }
}
