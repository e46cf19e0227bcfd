using HelloSample;

var builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<Counter>();
builder.Services.ConfigureHttpJsonOptions(json =>
    json.SerializerOptions.TypeInfoResolverChain.Insert(0, JsonContext.Default));

var app = builder.Build();

// For an error without a body.
app.UseStatusCodePages("text/html; charset=utf-8", """
    <!DOCTYPE html>
    <html lang="en" style="color-scheme: light dark; background: Canvas">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Status {0}</title>
    <link rel="icon" href="data:,">
    <body style="max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif">
    <main>
      <h1>Nothing here</h1>
      <p>There is nothing to see here: status {0}. <a href="/">To the start</a></p>
    </main>

    """);

// MapGet alone answers HEAD with 405; the server drops the body.
app.MapMethods("/", [HttpMethods.Get, HttpMethods.Head], (HttpRequest request) => HelloPage.Render(request));

// The posted fields are only shown again. A form that changes something needs antiforgery, as in the Mvc sample.
app.MapPost("/", async (HttpRequest request, CancellationToken aborted) =>
{
    if (!request.HasFormContentType)
    {
        return Results.StatusCode(StatusCodes.Status415UnsupportedMediaType);
    }

    try
    {
        return HelloPage.Render(request, await request.ReadFormAsync(aborted));
    }
    catch (Exception exception) when (exception is InvalidDataException or IOException and not BadHttpRequestException)
    {
        // It is cut off, or has more fields than are read.
        app.Logger.FormRefused(exception.Message);
        return Results.StatusCode(StatusCodes.Status400BadRequest);
    }
});

app.MapGet("/plaintext", () => "Hello, World!");
app.MapGet("/json", () => new Greeting("Hello, World!"));
app.MapGet("/events", (Counter counter, CancellationToken aborted) =>
    TypedResults.ServerSentEvents(counter.CountAsync(aborted), eventType: "count"));

app.Run();
