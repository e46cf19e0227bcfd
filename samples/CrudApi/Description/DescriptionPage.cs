namespace CrudApiSample.Description;

internal static class DescriptionPage
{
    private const string Page = "page.html";

    /// <summary>The page at <c>/</c>, on which the API can be tried. Its own addresses are relative.</summary>
    public static void UseDescriptionPage(this WebApplication app)
    {
        app.Use((context, next) =>
        {
            var request = context.Request;
            if (!request.Path.HasValue)
            {
                // Below another path: without the slash the page's relative addresses would be wrong.
                context.Response.Redirect($"{request.PathBase}/", permanent: true, preserveMethod: true);
                return Task.CompletedTask;
            }

            if (request.Path == "/" && (HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method)))
            {
                // Answered here; by itself the page sends the browser to its own name first.
                request.Path = "/index.html";
            }

            return next(context);
        });
        app.UseSwaggerUI(page =>
        {
            page.RoutePrefix = "";
            // Its own page would look for the document below its own name.
            page.IndexStream = () => typeof(DescriptionPage).Assembly.GetManifestResourceStream(Page)!;
        });
    }

    /// <summary>The OpenAPI document.</summary>
    public static void MapDescription(this WebApplication app) =>
        app.MapGet("/openapi.json", app.Services.GetRequiredService<ApiDescription>().WriteAsync);
}
