using FastCgi.InstanceApp;

var builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseFastCgi();
builder.Services.AddSignalR();
var app = builder.Build();

var instance = app.Configuration["Instance"] ?? throw new InvalidOperationException("--Instance is missing.");
using var orders = new OrderBook(app.Configuration["Orders"] ?? throw new InvalidOperationException("--Orders is missing."));

app.MapGet("/", () => instance);
app.MapPost("/orders", async (HttpRequest request, CancellationToken aborted) =>
{
    using var body = new StreamReader(request.Body);
    orders.Enter(await body.ReadToEndAsync(aborted));
    return instance;
});
app.MapHub<InstanceHub>("/hub");

app.Run();
