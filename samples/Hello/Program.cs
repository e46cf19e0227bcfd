using HelloSample;

var builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<Counter>();
builder.Services.ConfigureHttpJsonOptions(json =>
    json.SerializerOptions.TypeInfoResolverChain.Insert(0, JsonContext.Default));

var app = builder.Build();

// An error without a body gets a line of text.
app.UseStatusCodePages(async context => await context.HttpContext.Response.WriteAsync(
    $"There is nothing to see here: status {context.HttpContext.Response.StatusCode}.\n"));

// MapGet alone answers HEAD with 405; the server drops the body.
app.MapMethods("/", [HttpMethods.Get, HttpMethods.Head], (HttpRequest request) => HelloPage.Render(request));

// The posted fields are only shown again. A form that changes something needs antiforgery, as in the Mvc sample.
app.MapPost("/", async (HttpRequest request, CancellationToken aborted) =>
    request.HasFormContentType
        ? HelloPage.Render(request, await request.ReadFormAsync(aborted))
        : Results.StatusCode(StatusCodes.Status415UnsupportedMediaType));

app.MapGet("/plaintext", () => "Hello, World!");
app.MapGet("/json", () => new Greeting("Hello, World!"));
app.MapGet("/events", (Counter counter, CancellationToken aborted) =>
    TypedResults.ServerSentEvents(counter.CountAsync(aborted), eventType: "count"));

app.Run();
