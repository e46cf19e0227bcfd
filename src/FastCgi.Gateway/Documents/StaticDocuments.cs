using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.StaticFiles;

namespace FastCgi.Gateway.Documents;

/// <summary>
/// Sends files of a document root with the framework's middleware: types by extension, ETag, ranges, conditions.
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

    /// <summary>Answers 404 for a type without an entry, and 405 for methods other than GET and HEAD.</summary>
    public async Task SendAsync(HttpContext context, string path)
    {
        HttpRequest request = context.Request;
        if (!HttpMethods.IsGet(request.Method) && !HttpMethods.IsHead(request.Method))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            context.Response.Headers.Allow = "GET, HEAD";
            return;
        }

        // The middleware uses the path of the request, and ignores requests with an endpoint.
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
