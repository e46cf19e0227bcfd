using FastCgi.InstanceApp;

var builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseFastCgi();
builder.Services.AddSignalR();
var app = builder.Build();

var instance = app.Configuration["Instance"] ?? throw new InvalidOperationException("--Instance is missing.");
using var orders = new OrderBook(app.Configuration["Orders"] ?? throw new InvalidOperationException("--Orders is missing."));

app.MapGet("/", () => instance);
app.MapGet("/client", (HttpContext context) => $"{context.Request.Scheme} {context.Connection.RemoteIpAddress}");
app.MapPost("/orders", async (HttpRequest request, CancellationToken aborted) =>
{
    using var body = new StreamReader(request.Body);
    orders.Enter(await body.ReadToEndAsync(aborted));
    return instance;
});
app.MapHub<InstanceHub>("/hub");

// Each needs descriptors while it runs: a file has one, and a thread takes two when it starts.
app.MapGet("/file", async (CancellationToken aborted) =>
{
    await using var file = new FileStream(typeof(OrderBook).Assembly.Location, FileMode.Open, FileAccess.Read);
    await Task.Delay(TimeSpan.FromMilliseconds(20), aborted);
    return instance;
});
app.MapGet("/thread", async () =>
{
    var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    new Thread(() => ended.SetResult()).Start();
    await ended.Task;
    return instance;
});
// Reads when it is told to.
using var goOn = new SemaphoreSlim(0);
app.MapPost("/go-on", () => { goOn.Release(); });
app.MapPost("/slow", async (HttpRequest request, CancellationToken aborted) =>
{
    await goOn.WaitAsync(aborted);
    long length = 0;
    var buffer = new byte[50_000];
    for (int read; (read = await request.Body.ReadAsync(buffer, aborted)) > 0; length += read)
    {
    }

    return $"{length}";
});

// Of the timers that are due, .NET runs the first and queues the others.
var timers = Enumerable.Range(0, app.Configuration.GetValue("Timers", 0))
    .Select(static _ => new Timer(static _ => { }, null, TimeSpan.Zero, TimeSpan.FromMilliseconds(10)))
    .ToArray();

// Keeps its thread until the client has left or the server aborts it.
var waiting = 0;
app.MapGet("/wait", (HttpContext context) =>
{
    Console.WriteLine($"waiting: {Interlocked.Increment(ref waiting)}");
    context.RequestAborted.WaitHandle.WaitOne();
    Console.WriteLine($"still waiting: {Interlocked.Decrement(ref waiting)}");
});
app.MapGet("/foreground", () =>
{
    Thread.CurrentThread.IsBackground = false;
    return instance;
});

// Keeps its thread whatever happens.
app.MapGet("/stuck", () =>
{
    Console.WriteLine("stuck");
    Thread.Sleep(Timeout.Infinite);
});
app.MapGet("/assemblies", () => string.Join('\n', AppDomain.CurrentDomain.GetAssemblies().Select(a => a.GetName().Name)));

app.Run();
Array.ForEach(timers, static timer => timer.Dispose());
