using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.StaticFiles;

namespace FastCgi.Gateway.Documents;

/// <summary>
/// Sends files of a document root by the framework's middleware: types by extension, ETag, ranges, conditions.
/// </summary>
internal sealed class StaticDocuments
{
    private readonly RequestDelegate _middleware;

    public StaticDocuments(IEndpointRouteBuilder endpoints, string root, IDictionary<string, string> contentTypes)
    {
        IApplicationBuilder pipeline = endpoints.CreateApplicationBuilder();
        pipeline.UseStaticFiles(new StaticFileOptions
        {
            FileProvider = new LinkedFileProvider(root),
            ContentTypeProvider = new FileExtensionContentTypeProvider(contentTypes),
        });
        _middleware = pipeline.Build();
    }

    /// <summary>404 for a type that has no entry; 405 for methods other than GET and HEAD.</summary>
    public async Task SendAsync(HttpContext context, string path)
    {
        HttpRequest request = context.Request;
        if (!HttpMethods.IsGet(request.Method) && !HttpMethods.IsHead(request.Method))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            context.Response.Headers.Allow = "GET, HEAD";
            return;
        }

        // The middleware looks for the path of the request, and leaves requests with an endpoint alone.
        PathString before = request.Path;
        Endpoint? endpoint = context.GetEndpoint();
        try
        {
            request.Path = new PathString(path);
            context.SetEndpoint(null);
            await _middleware(context).ConfigureAwait(false);
        }
        finally
        {
            request.Path = before;
            context.SetEndpoint(endpoint);
        }
    }
}
