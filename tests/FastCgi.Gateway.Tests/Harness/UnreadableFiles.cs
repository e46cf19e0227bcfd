namespace FastCgi.Gateway.Tests.Harness;

/// <summary>A server that may read no file. The kernel refuses none to root, by whom tests may run.</summary>
internal sealed class UnreadableFiles(IHttpResponseBodyFeature body) : StreamResponseBodyFeature(body.Stream, body)
{
    public static Task UseAsync(HttpContext context, RequestDelegate next)
    {
        var body = context.Features.GetRequiredFeature<IHttpResponseBodyFeature>();
        context.Features.Set<IHttpResponseBodyFeature>(new UnreadableFiles(body));
        return next(context);
    }

    public override Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken) =>
        Task.FromException(new UnauthorizedAccessException($"Access to the path '{path}' is denied."));
}
