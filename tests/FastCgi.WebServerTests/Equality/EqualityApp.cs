using FastCgi.WebServerTests.Rows;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace FastCgi.WebServerTests.Equality;

/// <summary>The application on both servers: ordinary endpoints, and a note of what each request was like.</summary>
internal sealed class EqualityApp
{
    private SeenRequest? _last;

    /// <summary>What the application saw last; null when nothing has reached it since the last call.</summary>
    public SeenRequest? TakeLast() => Interlocked.Exchange(ref _last, null);

    /// <summary>Both need the same files with the same date, since their tags are made of it.</summary>
    public static void Build(WebApplicationBuilder builder)
    {
        var root = Path.Combine(builder.Environment.ContentRootPath, "wwwroot");
        var file = Path.Combine(root, "file.txt");
        WriteDated(file, string.Concat(Enumerable.Range(0, 100).Select(i => $"{i:D3} of a hundred lines\n")));
        var folder = Directory.CreateDirectory(Path.Combine(root, "folder")).FullName;
        WriteDated(Path.Combine(folder, "index.html"), "<p>index</p>");
        WriteDated(Path.Combine(folder, "a file.css"), "p { }");

        builder.Services.AddHealthChecks()
            .AddCheck("healthy", static () => HealthCheckResult.Healthy())
            .AddCheck("failing", static () => HealthCheckResult.Unhealthy(), ["failing"]);
        builder.Services.AddProblemDetails(static options =>
            options.CustomizeProblemDetails = static context => context.ProblemDetails.Extensions.Remove("traceId"));
        builder.Services.AddOpenApi().AddResponseCompression().AddRequestDecompression().AddRequestTimeouts()
            .AddHttpsRedirection(static options => options.HttpsPort = 444)
            .AddCors(static options => options.AddPolicy("one", static policy =>
                policy.WithOrigins("https://one.example").WithMethods("GET").WithHeaders("X-One")));
    }

    public void Configure(WebApplication app)
    {
        app.Use((context, next) =>
        {
            Volatile.Write(ref _last, SeenRequest.Of(context));
            return next(context);
        });
        app.UseFileServer();
        MapMiddleware(app);
        app.UseRouting().UseCors().UseRequestTimeouts();
        MapRequests(app);
        MapResponses(app);
        MapFailures(app);
        app.Map("/{**path}", (HttpRequest request) => $"{request.Method} {request.Path.Value}");
    }

    private static void WriteDated(string file, string content)
    {
        File.WriteAllText(file, content);
        File.SetLastWriteTimeUtc(file, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc));
    }

    private static void MapMiddleware(WebApplication app)
    {
        app.Map("/problems", static branch =>
        {
            branch.UseExceptionHandler().UseStatusCodePages();
            branch.Run(static context =>
            {
                context.Response.StatusCode = StatusCodes.Status404NotFound;
                return context.Request.Path == "/throw"
                    ? throw new InvalidOperationException("The test's own.")
                    : Task.CompletedTask;
            });
        });
        app.Map("/compressed", static branch =>
        {
            branch.UseResponseCompression();
            branch.Run(static context =>
            {
                context.Response.ContentType = "text/plain";
                return context.Response.WriteAsync(string.Concat(Enumerable.Repeat("The same again. ", 10_000)));
            });
        });
        app.Map("/decompressed", static branch =>
        {
            branch.UseRequestDecompression();
            branch.Run(static async context =>
            {
                using var reader = new StreamReader(context.Request.Body);
                var text = await reader.ReadToEndAsync();
                await context.Response.WriteAsync($"{text.Length} characters, {text[..16]}");
            });
        });
        app.Map("/https", static branch =>
        {
            branch.UseHttpsRedirection().UseHsts();
            branch.Run(static context => context.Response.WriteAsync(context.Request.Scheme));
        });
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
        app.MapPost("/things", (Thing[] things) => things.Select(thing => thing with { Id = -thing.Id }));
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
        app.MapOpenApi();
        app.MapGet("/cors", () => "shared").RequireCors("one");
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
        app.MapHealthChecks("/health", new HealthCheckOptions { Predicate = static check => check.Tags.Count == 0 });
        app.MapHealthChecks("/health/failing");
        app.MapGet("/timeout", static (CancellationToken aborted) => Task.Delay(Timeout.Infinite, aborted))
            .WithRequestTimeout(TimeSpan.FromMilliseconds(50));
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

    /// <summary>One of many in a large array.</summary>
    internal sealed record Thing(int Id, string Name);
}
