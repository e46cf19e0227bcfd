using System.Globalization;
using System.Text;
using FastCgi.AspNetCore;
using FastCgi.TestingApp;
using Microsoft.AspNetCore.Http.Features;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.AddSingleton<Witness>();
if (builder.Configuration["Server"] != "Kestrel")
{
    // Nobody can listen there, and no test does.
    builder.WebHost.UseFastCgi(options => options.ListenUnixSocket("/nowhere/app.sock"));
    builder.WebHost.ConfigureFastCgi(options => options.ClientCertificateParameter = "SSL_CLIENT_CERT");
}

var app = builder.Build();

app.MapGet("/", () => "Hello");
app.MapGet("/address", (HttpContext context) => context.Connection.RemoteIpAddress?.ToString());
app.MapGet("/client", async (HttpContext context, CancellationToken cancellation) => new Client(
    context.Connection.RemoteIpAddress?.ToString(),
    context.Connection.RemotePort,
    context.Request.Scheme,
    context.Request.Host.Value,
    context.Request.PathBase.Value,
    context.Request.Path.Value,
    context.GetServerVariable("REMOTE_USER"),
    context.GetServerVariable("AUTH_TYPE"),
    (await context.Connection.GetClientCertificateAsync(cancellation))?.Subject));
app.MapGet("/params/{name}", (string name, HttpContext context) => context.GetServerVariable(name) ?? "none");
// GetServerVariable does not know the parameters that the path is made of.
app.MapGet("/raw/{name}", (string name, HttpContext context) =>
    context.Features.GetRequiredFeature<IFastCgiRequestFeature>().TryGetParameter(name, out var value)
        ? Encoding.UTF8.GetString(value)
        : "none");
app.MapGet("/feature", (HttpContext context) =>
    context.Features.Get<IFastCgiRequestFeature>()?.ConnectionId ?? "none");
app.MapGet("/target", (HttpContext context) => context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget);
app.MapGet("/path/{**rest}", (HttpContext context) => context.Request.Path.Value);
app.MapGet("/environment", (IWebHostEnvironment environment) => environment.ContentRootPath);
app.MapGet("/setting", (IConfiguration configuration) => configuration["Setting"] ?? "none");
app.MapGet("/old", () => Results.Redirect("/"));
app.MapGet("/visits", (HttpContext context) =>
{
    var visits = int.Parse(context.Request.Cookies["visits"] ?? "0", CultureInfo.InvariantCulture) + 1;
    context.Response.Cookies.Append("visits", visits.ToString(CultureInfo.InvariantCulture));
    return visits;
});
app.MapGet("/fail", string () => throw new InvalidOperationException("A failure of the application."));

app.MapPost("/echo", async context =>
{
    context.Response.ContentType = context.Request.ContentType;
    await context.Request.Body.CopyToAsync(context.Response.Body);
});

// What a body cut short gives here is the status of the exception, 400.
app.MapPost("/upload", async (HttpContext context, CancellationToken cancellation) =>
{
    using var bytes = new MemoryStream();
    await context.Request.Body.CopyToAsync(bytes, cancellation);
    return bytes.Length;
});

// Each piece of a slow upload, as it arrives.
app.MapPost("/pieces/{id}", async (string id, HttpContext context, Witness witness) =>
{
    var buffer = new byte[1000];
    try
    {
        while (await context.Request.Body.ReadAsync(buffer) is > 0 and var read)
        {
            witness.Report($"{id}: {Encoding.UTF8.GetString(buffer, 0, read)}");
        }
    }
    catch (IOException)
    {
        witness.Report($"{id}: failed");
    }

    return "all";
});

// Until the client is gone.
app.MapGet("/wait/{id}", async (string id, HttpContext context, Witness witness) =>
{
    witness.Report($"{id}: started");
    var gone = new TaskCompletionSource();
    using var registration = context.RequestAborted.Register(gone.SetResult);
    await gone.Task;
    witness.Report($"{id}: aborted");
});

// So much that it fits into no buffer between here and the client.
app.MapGet("/large/{id}", async (string id, HttpContext context, Witness witness) =>
{
    var piece = new byte[Witness.LargePiece];
    for (var i = 0; i < Witness.LargePieces; i++)
    {
        Array.Fill(piece, (byte)i);
        await context.Response.Body.WriteAsync(piece);
    }

    witness.Report($"{id}: written");
});

// The head and a part, and the rest when the test says so.
app.MapGet("/parts/{id}", async (string id, HttpContext context, Witness witness) =>
{
    await context.Response.WriteAsync("first,");
    await context.Response.Body.FlushAsync();
    await witness.AwaitAsync($"{id}: go on");
    await context.Response.WriteAsync("second");
});
app.MapGet("/tear", async context =>
{
    context.Response.ContentLength = 100;
    await context.Response.WriteAsync("a part");
    await context.Response.Body.FlushAsync();
    context.Abort();
});
app.MapGet("/synchronous", context =>
{
    context.Response.Body.Write("written"u8);
    return Task.CompletedTask;
});
app.MapGet("/stderr", async context =>
{
    await context.Features.GetRequiredFeature<IFastCgiRequestFeature>().WriteErrorAsync("a warning"u8.ToArray());
    await context.Response.WriteAsync("done");
});

app.Run();

/// <summary>The entry point, by which a test names the application.</summary>
public partial class Program;
