using FastCgi.WebServerTests.Rows;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.WebServerTests.Equality;

/// <summary>The application on both servers: ordinary endpoints, and a note of what each request was like.</summary>
internal sealed class EqualityApp
{
    private SeenRequest? _last;

    /// <summary>What the application saw last; null when nothing has reached it since the last call.</summary>
    public SeenRequest? TakeLast() => Interlocked.Exchange(ref _last, null);

    /// <summary>Both need the same file with the same date, since its tag is made of it.</summary>
    public static void Build(WebApplicationBuilder builder)
    {
        var file = Path.Combine(builder.Environment.ContentRootPath, "wwwroot", "file.txt");
        File.WriteAllText(file, string.Concat(Enumerable.Range(0, 100).Select(i => $"{i:D3} of a hundred lines\n")));
        File.SetLastWriteTimeUtc(file, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc));
    }

    public void Configure(WebApplication app)
    {
        app.Use((context, next) =>
        {
            Volatile.Write(ref _last, SeenRequest.Of(context));
            return next(context);
        });
        app.UseStaticFiles();
        app.UseRouting();
        MapRequests(app);
        MapResponses(app);
        MapFailures(app);
        app.Map("/{**path}", (HttpRequest request) => $"{request.Method} {request.Path.Value}");
    }

    private static void MapRequests(WebApplication app)
    {
        app.MapPost("/json", (Point point) => new Point(point.Y, point.X));
        app.MapPost("/form", async (HttpRequest request) =>
        {
            var form = await request.ReadFormAsync();
            var fields = form.Select(field => $"{field.Key}={string.Join('|', [.. field.Value])}");
            var files = form.Files.Select(file => $"{file.Name}:{file.FileName}:{file.ContentType}:{file.Length}");
            return string.Join('\n', fields.Concat(files));
        });
        app.MapMethods("/hash", ["GET", "POST", "PUT", "DELETE"], async (HttpRequest request) =>
            Convert.ToHexString(await SHA256.HashDataAsync(request.Body)));
        app.MapPost("/small", async (HttpRequest request) => await request.Body.CopyToAsync(Stream.Null))
            .WithMetadata(new RequestSizeLimitAttribute(10));
        app.MapPost("/unread", () => "unread");
        app.MapGet("/cookies", (HttpRequest request) =>
            string.Join('\n', request.Cookies.Select(cookie => $"{cookie.Key}={cookie.Value}")));
        app.MapGet("/names", (HttpRequest request) =>
            string.Join(' ', request.Headers.Keys.Where(name => name.StartsWith("X-Un", StringComparison.Ordinal))));
        app.MapGet("/query", (HttpRequest request) =>
            string.Join('\n', request.Query.Select(pair => $"{pair.Key}={string.Join('|', [.. pair.Value])}")));
        app.MapGet("/item/{id}/{**rest}", (string id, string? rest) => $"{id}:{rest}");
    }

    private static void MapResponses(WebApplication app)
    {
        app.MapGet("/status/{status:int}", (int status) => Results.StatusCode(status));
        app.MapGet("/redirect", (string to) => TypedResults.Redirect(to));
        app.MapPost("/created", (HttpContext context, LinkGenerator links) =>
            TypedResults.Created(links.GetUriByName(context, "thing", new { id = "a b/c" })));
        app.MapGet("/thing/{id}", (string id) => id).WithName("thing");
        app.MapGet("/headers", (HttpResponse response) =>
        {
            response.Headers.Append("X-Several", new(["one", "two", "a, b"]));
            response.Headers.WWWAuthenticate = new(["Basic realm=\"a\"", "Bearer"]);
            response.Headers.CacheControl = "private, max-age=5";
            response.Headers.Vary = "Accept, Accept-Encoding";
            response.Headers["X-Empty"] = "";
            response.Cookies.Append("a", "1", new CookieOptions { Secure = true, SameSite = SameSiteMode.Lax });
            response.Cookies.Append("b", "2", new CookieOptions { HttpOnly = true, MaxAge = TimeSpan.FromHours(1) });
            return "headers";
        });
        app.MapGet("/stream", async (HttpResponse response) =>
        {
            for (var i = 0; i < 5; i++)
            {
                await response.WriteAsync($"piece {i}\n");
                await response.Body.FlushAsync();
            }
        });
        app.MapGet("/problem", () => TypedResults.Problem("The test's own.", statusCode: 422));
        app.MapGet("/large", () => TypedResults.Bytes(new byte[300_000]));
        app.MapGet("/hop", (HttpResponse response) =>
        {
            response.Headers.Connection = "close";
            response.Headers["X-Kept"] = "yes";
            return "hop";
        });
    }

    private static void MapFailures(WebApplication app)
    {
        app.MapGet("/throw", _ => throw new InvalidOperationException("The test's own."));
        app.MapGet("/abort", (HttpContext context) => context.Abort());
        app.MapGet("/short", async (HttpResponse response) =>
        {
            response.ContentLength = 100;
            await response.WriteAsync("short");
        });
        app.MapGet("/torn", async (HttpResponse response) =>
        {
            await response.WriteAsync("begun");
            await response.Body.FlushAsync();
            throw new InvalidOperationException("The test's own.");
        });
        app.MapGet("/not-ascii", (HttpResponse response) => response.Headers["X-Name"] = "Zürich");
        app.MapPost("/sync", (HttpRequest request) => request.Body.Read(new byte[1]));
    }

    private sealed record Point(int X, int Y);
}
