namespace FastCgi.FunctionalTests.Oracle;

/// <summary>
/// A handler that makes random calls of HttpContext, always the same for a seed. It notes the result of each call.
/// Calls that differ from Kestrel on purpose are left out: see <see cref="s_rooms"/>.
/// </summary>
internal sealed class RandomHandler
{
    /// <summary>
    /// Calls that are tried together. A declared length is not tried with pipes and JSON: Kestrel checks their bytes at
    /// Advance, this server at the start. Nor is it tried with exceptions: this server aborts the response even after
    /// its last byte. No write of zero bytes: after the end of the response it throws here. No status 205: with a pipe,
    /// Kestrel may not answer.
    /// </summary>
    private static readonly string[][] s_rooms =
    [
        ["status", "length", "header", "headers", "text", "write", "start", "flush", "complete", "clear", "yield",
            "started", "reason", "cookie", "onStarting", "onCompleted"],
        ["status", "text", "write", "pipe", "pipeWrite", "pipeStream", "pipeFlush", "start", "flush", "complete",
            "pipeComplete", "pipeCompleteAsync", "clear", "started", "onStarting", "throw", "throwBadRequest"],
        ["status", "json", "text", "write", "file", "filePart", "start", "flush", "complete", "yield", "started", "cancelledWrite",
            "cancelledFlush", "syncWrite", "allowSync", "onCompleted", "throw"],
        ["read", "readAll", "cancelledRead", "readPipe", "tryRead", "hasBody", "buffer", "rewind", "maxSize", "write",
            "start", "complete", "yield", "onStarting", "throw"],
    ];

    /// <summary>Calls around an abort: each ends nothing, so that the abort comes before the end.</summary>
    private static readonly string[][] s_roomsBeforeAbort =
    [
        ["status", "header", "text", "write", "start", "flush", "json", "file", "yield", "started", "onStarting", "onCompleted"],
        ["status", "write", "start", "flush", "pipe", "pipeWrite", "pipeFlush", "pipeStream", "started", "onStarting",
            "onCompleted"],
        ["readByte", "cancelledRead", "tryRead", "hasBody", "start", "flush"],
    ];

    /// <summary>Calls that are made only after an abort, for each of those rooms.</summary>
    private static readonly string[][] s_callsAfterAbort =
    [
        ["aborted", "length", "complete", "clear", "cancelledWrite", "cancelledFlush", "lateWrite", "throw"],
        ["aborted", "complete", "pipeComplete", "pipeCompleteAsync", "clear", "lateWrite", "throw"],
        ["aborted", "readAll", "readEnd", "form", "buffer", "complete", "throw"],
    ];

    /// <summary>Calls before an upgrade, and after it. The response is not completed: here that ends the stream too.</summary>
    private static readonly string[] s_callsBeforeUpgrade =
        ["status", "cookie", "started", "hasBody", "readAll", "yield", "onCompleted"],
        s_callsAfterUpgrade =
    [
        "upgrade", "status", "cookie", "headers", "started", "text", "write", "start", "flush", "yield", "onCompleted", "aborted",
        "abort", "throw", "readSwitched", "cancelledReadSwitched", "writeSwitched", "cancelledWriteSwitched", "flushSwitched",
        "disposeSwitched",
    ];

    /// <summary>Kestrel aborts the response if a write runs a callback that makes such a call.</summary>
    private static readonly string[] s_neverInOnStarting =
    [
        "start", "text", "write", "pipeWrite", "pipeStream", "flush", "pipeFlush", "file", "filePart", "throw", "throwBadRequest",
        "clear",
    ];

    /// <summary>The other calls write. After the end of the response, a write may never return on Kestrel.</summary>
    private static readonly string[] s_inOnCompleted = ["status", "headers", "started", "hasBody", "yield", "onCompleted"];

    private readonly List<Step> _steps;

    private RandomHandler(List<Step> steps, int bodySize)
    {
        _steps = steps;
        BodySize = bodySize;
    }

    /// <summary>The number of bytes of the request's body that the client sends.</summary>
    public int BodySize { get; }

    public static RandomHandler Make(int seed)
    {
        var choices = new SeededChoices(seed);
        var room = choices.Below(s_rooms.Length);
        return new RandomHandler(Steps(choices, s_rooms[room], most: 7), bodySize: room == s_rooms.Length - 1 ? 5 : 0);
    }

    /// <summary>A handler whose client leaves in the middle, or that aborts the request itself. Half of a body comes.</summary>
    public static RandomHandler MakeAborted(int seed)
    {
        var choices = new SeededChoices(seed);
        var room = choices.Below(s_roomsBeforeAbort.Length);
        var before = s_roomsBeforeAbort[room];
        return new RandomHandler(
            [
                .. Steps(choices, before, most: 4),
                Next(choices, ["leave", "leave", "abort"]),
                // Bytes that have come may still be read, or not.
                .. Steps(choices, [.. before.Except(["readByte", "tryRead"]), .. s_callsAfterAbort[room]], most: 5),
            ],
            bodySize: room == s_roomsBeforeAbort.Length - 1 ? 5 : 0);
    }

    /// <summary>A handler that upgrades its connection. Its client sends ten bytes behind the head.</summary>
    public static RandomHandler MakeUpgraded(int seed)
    {
        var choices = new SeededChoices(seed);
        return new RandomHandler(
            [
                .. Steps(choices, s_callsBeforeUpgrade, most: 3),
                Next(choices, ["upgrade"]),
                .. Steps(choices, s_callsAfterUpgrade, most: 8),
            ],
            bodySize: 0);
    }

    public Task RunAsync(HttpContext context, Action<string> note) => RunAsync(_steps, context, note);

    public override string ToString() => Describe(_steps);

    private static string Describe(List<Step> steps) => string.Join("; ", steps.Select(static step => step.Name));

    private static async Task RunAsync(List<Step> steps, HttpContext context, Action<string> note)
    {
        foreach (var step in steps)
        {
            note(step.Name);
            try
            {
                if (await step.Call(context, note) is { } result)
                {
                    note($"= {result}");
                }
            }
            catch (Exception exception)
            {
                note($"! {Kind(exception, context)}");
                if (step.Throws)
                {
                    throw;
                }
            }
        }
    }

    /// <summary>
    /// ObjectDisposedException is an InvalidOperationException: the servers differ in which they throw. Kestrel may see the
    /// end of a body that broke off before the end of the connection.
    /// </summary>
    private static string Kind(Exception exception, HttpContext context) => exception switch
    {
        IOException when context.RequestAborted.IsCancellationRequested => nameof(IOException),
        OperationCanceledException => nameof(OperationCanceledException),
        InvalidOperationException => nameof(InvalidOperationException),
        _ => exception.GetType().Name,
    };

    private static List<Step> Steps(SeededChoices choices, string[] room, int most)
    {
        var steps = new List<Step>();
        for (var count = 1 + choices.Below(most - 1); count > 0; count--)
        {
            steps.Add(Next(choices, room));
        }

        return steps;
    }

    private static Step Next(SeededChoices choices, string[] room)
    {
        var name = choices.Pick<string>(room);
        var size = choices.Pick(1, 3, 5, 10, 1 + choices.Below(4_999), 1 + choices.Below(99_999));
        var bytes = new byte[size];
        Array.Fill(bytes, (byte)('a' + choices.Below('z' - 'a')));
        switch (name)
        {
            case "status":
                var status = choices.Pick(200, 201, 204, 206, 302, 304, 404, 500);
                return Do($"{name} {status}", context => context.Response.StatusCode = status);
            case "length":
                var length = choices.Pick<long?>(null, 0, 1, 3, 5, 10, size, -1);
                return Do($"{name} {length}", context => context.Response.ContentLength = length);
            case "header":
                var header = choices.Pick("X-A", "Content-Type", "ETag", "Vary", "X-Ü", "X A", "Content-Length");
                var value = choices.Pick("a", "b, c", "", "ü", "a\r\nb", "text/plain", "10", " x ", "\0", null);
                return Do($"{name} {header} {Uri.EscapeDataString(value ?? "(null)")}",
                    context => context.Response.Headers[header] = value);
            case "headers":
                return Ask(name, context => string.Join(", ", context.Response.Headers
                    .Where(static header => header.Key is not ("Date" or "Transfer-Encoding" or "Server" or "Connection"))
                    .Select(static header => $"{header.Key}={header.Value}").Order(StringComparer.Ordinal)));
            case "reason":
                return Do(name, context =>
                    context.Features.GetRequiredFeature<IHttpResponseFeature>().ReasonPhrase = "Because");
            case "cookie":
                return Do(name, context => context.Response.Cookies.Append("a", "b"));
            case "clear":
                return Do(name, context => context.Response.Clear());
            case "started":
                return Ask(name, context => $"{context.Response.HasStarted}");
            case "yield":
                return Await(name, async _ => await Task.Yield());
            case "text":
                return Await($"{name} {size}", context => context.Response.WriteAsync(Encoding.ASCII.GetString(bytes)));
            case "write":
                return Await($"{name} {size}", context => context.Response.Body.WriteAsync(bytes).AsTask());
            case "json":
                return Await(name, context => context.Response.WriteAsJsonAsync(new int[size % 100]));
            case "start":
                return Await(name, context => context.Response.StartAsync());
            case "flush":
                return Await(name, context => context.Response.Body.FlushAsync());
            case "complete":
                return Await(name, context => context.Response.CompleteAsync());
            case "pipe":
                return Do($"{name} {size}", context =>
                {
                    bytes.CopyTo(context.Response.BodyWriter.GetSpan(size));
                    context.Response.BodyWriter.Advance(size);
                });
            case "pipeWrite":
                return Await($"{name} {size}", context => context.Response.BodyWriter.WriteAsync(bytes).AsTask());
            case "pipeStream":
                return Await($"{name} {size}",
                    context => context.Response.BodyWriter.AsStream(leaveOpen: true).WriteAsync(bytes).AsTask());
            case "pipeFlush":
                return Await(name, context => context.Response.BodyWriter.FlushAsync().AsTask());
            case "pipeComplete":
                return Do(name, context => context.Response.BodyWriter.Complete());
            case "pipeCompleteAsync":
                return Await(name, context => context.Response.BodyWriter.CompleteAsync().AsTask());
            case "leave":
                return Await(name, context => AbortAsync(context, (Action)context.Items[name]!));
            case "abort":
                return Await(name, context => AbortAsync(context, context.Abort));
            case "aborted":
                return Ask(name, context => $"{context.RequestAborted.IsCancellationRequested}");
            case "upgrade":
                return Answer(name, async context =>
                {
                    var stream = await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
                    context.Items[name] = stream;
                    return $"{await stream.ReadAsync(bytes.AsMemory(0, 1))}";
                });
            case "readSwitched":
                return Answer(name, async context => $"{await Switched(context).ReadAsync(bytes.AsMemory(0, 1))}");
            case "cancelledReadSwitched":
                return Await(name,
                    context => Switched(context).ReadAsync(bytes, new CancellationToken(canceled: true)).AsTask());
            case "writeSwitched":
                return Await($"{name} {size}", context => Switched(context).WriteAsync(bytes).AsTask());
            case "cancelledWriteSwitched":
                return Await(name,
                    context => Switched(context).WriteAsync(bytes, new CancellationToken(canceled: true)).AsTask());
            case "flushSwitched":
                return Await(name, context => Switched(context).FlushAsync());
            case "disposeSwitched":
                return Await(name, context => Switched(context).DisposeAsync().AsTask());
            case "lateWrite":
                return Await(name, context => context.Response.Body.WriteAsync(bytes, context.RequestAborted).AsTask());
            case "throw":
                return Throw(name, new InvalidOperationException("of the handler"));
            case "throwBadRequest":
                var error = choices.Pick(400, 404, 408, 413, 500);
                return Throw($"{name} {error}", new BadHttpRequestException("of the handler", error));
            case "file":
                return Await(name, context => context.Response.SendFileAsync(RandomHandlerTests.File));
            case "filePart":
                var (offset, count) = (choices.Pick(0L, 20, 100, 101, -1), choices.Pick<long?>(null, 0, 80, 101, -1));
                return Await($"{name} {offset} {count}",
                    context => context.Response.SendFileAsync(RandomHandlerTests.File, offset, count));
            case "cancelledWrite":
                return Await(name,
                    context => context.Response.Body.WriteAsync(bytes, new CancellationToken(canceled: true)).AsTask());
            case "cancelledFlush":
                return Await(name, context => context.Response.Body.FlushAsync(new CancellationToken(canceled: true)));
            case "syncWrite":
                return Do($"{name} {size}", context => context.Response.Body.Write(bytes));
            case "allowSync":
                return Do(name, context =>
                    context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true);
            case "read":
                return Answer($"{name} {size}", async context =>
                    $"{await context.Request.Body.ReadAtLeastAsync(bytes, Math.Min(size, 5), throwOnEndOfStream: false)}");
            case "readByte":
                return Answer(name, async context => $"{await context.Request.Body.ReadAsync(bytes.AsMemory(0, 1))}");
            case "readAll":
                return Answer(name, async context =>
                {
                    var all = new MemoryStream();
                    await context.Request.Body.CopyToAsync(all);
                    return $"{all.Length}";
                });
            case "readEnd":
                return Answer(name, async context =>
                {
                    await context.Request.BodyReader.CopyToAsync(Stream.Null);
                    return "read";
                });
            case "form":
                return Answer(name, async context => $"{(await context.Request.ReadFormAsync()).Count}");
            case "cancelledRead":
                return Await(name,
                    context => context.Request.Body.ReadAsync(bytes, new CancellationToken(canceled: true)).AsTask());
            case "readPipe":
                var (consumed, least) = (choices.Below(6), 1 + choices.Below(4));
                return Answer($"{name} {consumed} of {least}", async context =>
                {
                    var result = await context.Request.BodyReader.ReadAtLeastAsync(least);
                    var position = result.Buffer.GetPosition(Math.Min(consumed, result.Buffer.Length));
                    context.Request.BodyReader.AdvanceTo(position);
                    return $"{result.Buffer.Length}";
                });
            case "tryRead":
                return Do(name, context =>
                {
                    if (context.Request.BodyReader.TryRead(out var result))
                    {
                        context.Request.BodyReader.AdvanceTo(result.Buffer.Start);
                    }
                });
            case "hasBody":
                return Ask(name,
                    context => $"{context.Features.GetRequiredFeature<IHttpRequestBodyDetectionFeature>().CanHaveBody}");
            case "buffer":
                return Do(name, context => context.Request.EnableBuffering());
            case "rewind":
                return Do(name, context => context.Request.Body.Position = 0);
            case "maxSize":
                var limit = choices.Pick<long?>(null, 5, -1);
                return Do($"{name} {limit}", context =>
                    context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = limit);
            case "onStarting" or "onCompleted":
                var calls = name == "onStarting" ? room.Except(s_neverInOnStarting) : room.Intersect(s_inOnCompleted);
                var steps = Steps(choices, [.. calls], most: 4);
                return new Step($"{name} ({Describe(steps)})", (context, note) =>
                {
                    Func<Task> callback = () => RunAsync(steps, context, note);
                    if (name == "onStarting")
                    {
                        context.Response.OnStarting(callback);
                    }
                    else
                    {
                        context.Response.OnCompleted(callback);
                    }

                    return Task.FromResult<string?>(null);
                });
            default:
                throw new InvalidOperationException($"No call is named {name}.");
        }
    }

    private static Stream Switched(HttpContext context) => (Stream)context.Items["upgrade"]!;

    /// <summary>Waits until the application sees the abort.</summary>
    private static async Task AbortAsync(HttpContext context, Action abort)
    {
        var aborted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var registration = context.RequestAborted.Register(aborted.SetResult);
        abort();
        await aborted.Task.Within("the abort");
    }

    private static Step Do(string name, Action<HttpContext> call) => Ask(name, context =>
    {
        call(context);
        return null;
    });

    private static Step Ask(string name, Func<HttpContext, string?> call) =>
        new(name, (context, _) => Task.FromResult(call(context)));

    private static Step Await(string name, Func<HttpContext, Task> call) => Answer(name, async context =>
    {
        await call(context);
        return null;
    });

    private static Step Answer(string name, Func<HttpContext, Task<string?>> call) => new(name, (context, _) => call(context));

    private static Step Throw(string name, Exception exception) => new(name, (_, _) => throw exception, Throws: true);

    /// <summary>The result is null where there is nothing to compare. What <c>Throws</c> ends the handler.</summary>
    private sealed record Step(string Name, Func<HttpContext, Action<string>, Task<string?>> Call, bool Throws = false);
}
