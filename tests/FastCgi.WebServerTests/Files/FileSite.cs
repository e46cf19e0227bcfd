using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.FileProviders;

namespace FastCgi.WebServerTests.Files;

/// <summary>
/// An application with a folder of files that the web server in front of it is to send. Beside the folder is another
/// one, <c>elsewhere</c>.
/// </summary>
internal static class FileSite
{
    private const int HandedOver = 320;
    private const string Handover = "FastCgi:EndpointDefaults:FileHandover:";

    public static Task<Site> StartAsync(
        Func<ServedApp, string, Task<WebServer>> start, Action<WebApplicationBuilder, string> build) => Site.StartAsync(
        app => start(app, Path.Combine(app.Folder, "files")),
        Configure,
        builder =>
        {
            var root = builder.Environment.ContentRootPath;
            Directory.CreateDirectory(Path.Combine(root, "elsewhere"));
            builder.Logging.SetMinimumLevel(LogLevel.Debug);
            build(builder, Directory.CreateDirectory(Path.Combine(root, "files")).FullName);
            builder.Services.AddResponseCompression();
            builder.Services.AddControllers().AddApplicationPart(typeof(FileSite).Assembly);
        });

    /// <summary>How many files the web server was told of.</summary>
    public static int CountHandedOver(this Site site) =>
        site.Log.Entries.Count(static entry => entry.EventId.Id == HandedOver);

    /// <summary>For every endpoint, as the configuration has it.</summary>
    public static void SendByXAccelRedirect(
        WebApplicationBuilder builder, string folder, string uriPrefix, IEnumerable<string> relayedHeaders) =>
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            [Handover + "XAccelRedirect:Files:Directory"] = folder,
            [Handover + "XAccelRedirect:Files:UriPrefix"] = uriPrefix,
            [Handover + "RelayedHeaders"] = string.Join(", ", relayedHeaders),
        });

    /// <inheritdoc cref="SendByXAccelRedirect"/>
    public static void SendByXSendfile(WebApplicationBuilder builder, string folder) =>
        builder.Configuration.AddInMemoryCollection([new(Handover + "XSendfile", folder)]);

    /// <summary>The one block of the page in this language that has the words in it.</summary>
    public static string Documented(string language, string words) => Assert.Single(
        MarkdownBlocks.Read(
            Path.Combine(Repository.Root, "docs", "web-servers.md"), language, "Files that the web server sends"),
        block => block.Contains(words, StringComparison.Ordinal));

    /// <param name="name">Below the folder; or, behind <c>../elsewhere/</c>, not.</param>
    public static string Write(this Site site, string name, byte[] content)
    {
        var path = site.PathOf(name);
        File.WriteAllBytes(path, content);
        return path;
    }

    public static string PathOf(this Site site, string name) => Path.Combine(site.App.Folder, "files", name);

    public static async Task<HttpResponseMessage> GetAsync(
        this Site site, string target, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, target);
        foreach (var (name, value) in headers)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await site.Client.SendAsync(request);
    }

    private static void Configure(WebApplication app)
    {
        var files = Path.Combine(app.Environment.ContentRootPath, "files");
        string PathOf(string? name) => Path.GetFullPath(name!, files);

        app.UseWhen(
            static context => context.Request.Path.StartsWithSegments("/compressed", StringComparison.Ordinal),
            static branch => branch.UseResponseCompression());
        app.UseStaticFiles(new StaticFileOptions
        {
            FileProvider = new PhysicalFileProvider(files),
            RequestPath = "/static",
            OnPrepareResponse = static prepared => SetHeaders(prepared.Context),
        });
        app.MapGet("/result", (HttpContext context, string name) =>
        {
            SetHeaders(context);
            return Results.File(PathOf(name), "text/x-test", enableRangeProcessing: true);
        });
        app.MapGet("/named", (string hex) =>
            Results.File(PathOf(Encoding.UTF8.GetString(Convert.FromHexString(hex))), "text/x-test"));
        app.MapGet("/download", (string name) => Results.File(PathOf(name), "text/x-test", name));
        app.MapMethods("/plain", ["GET", "HEAD", "POST"], (HttpContext context, string name) =>
        {
            context.Response.ContentType = "text/x-test";
            return context.Response.SendFileAsync(PathOf(name));
        });
        app.MapGet("/encoded", (HttpContext context, string name) =>
        {
            context.Response.Headers.ContentEncoding = "gzip";
            return context.Response.SendFileAsync(PathOf(name));
        });
        app.MapGet("/compressed", (string name) => Results.File(PathOf(name), "text/plain"));
        app.MapGet("/part", (HttpContext context, string name) =>
            context.Response.SendFileAsync(PathOf(name), 10, 20));
        app.MapControllers();
    }

    private static void SetHeaders(HttpContext context)
    {
        context.Response.Headers.CacheControl = "private, max-age=60";
        context.Response.Headers.ContentDisposition = "inline; filename=\"x\"";
        context.Response.Headers.Append("Set-Cookie", "a=1");
        context.Response.Headers.Append("Set-Cookie", "b=2");
        context.Response.Headers.Vary = "Cookie";
        context.Response.Headers.XContentTypeOptions = "nosniff";
    }
}
