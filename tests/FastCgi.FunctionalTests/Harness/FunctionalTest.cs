using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;

namespace FastCgi.FunctionalTests.Harness;

/// <summary>
/// A test of the whole server. What it started ends with it, and an assertion that fails at that end is reported beside
/// the one that failed in the test itself.
/// </summary>
public abstract class FunctionalTest : IAsyncLifetime
{
    // Some tests connect several peers at once.
    private readonly ConcurrentStack<IAsyncDisposable> _started = [];

    // Several threads of a test may ask for it first.
    private readonly Lazy<DirectoryInfo> _folder = new(static () => Directory.CreateTempSubdirectory("fcgi-files-"));

    protected SyncPoint Entered { get; } = "the handler";

    protected SyncPoint GoOn { get; } = "the test to let the handler go on";

    protected SyncPoint Aborted { get; } = "RequestAborted";

    protected SyncPoint Left { get; } = "the end of the handler";

    /// <summary>What a handler that keeps its thread waits for.</summary>
    protected Latch Unblock { get; } = new();

    protected ManualTimeProvider Clock { get; } = new();

    /// <summary>For files of the test.</summary>
    protected string Folder => _folder.Value.FullName;

    protected FunctionalServer Server { get; private set; } = null!;

    protected LogRecorder Logs => Server.Logs;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        // A test that failed leaves its handler behind.
        Unblock.Set();

        // Peers before their server, so that it has nobody left to wait for.
        while (_started.TryPop(out var last))
        {
            await last.DisposeAsync();
        }

        Server?.Logs.Clear();
        if (_folder.IsValueCreated)
        {
            _folder.Value.Delete(recursive: true);
        }
    }

    protected static RequestScript Get(string target = "/") => new() { Target = target };

    protected static RequestScript Head(string target = "/") => new() { Method = "HEAD", Target = target };

    protected static RequestScript Post(string body, string target = "/") => Post(Encoding.UTF8.GetBytes(body), target);

    protected static RequestScript Post(byte[] body, string target = "/") =>
        new() { Method = "POST", Body = body, Target = target };

    /// <summary>Begin, params and their end: the body is for the test to send.</summary>
    /// <param name="length">Null: unknown.</param>
    protected static RecordBuilder BeginPost(
        int? length, string target = "/", int id = 1, bool keepConnection = true) =>
        Begin(new RequestScript
        {
            Id = id,
            KeepConnection = keepConnection,
            Method = "POST",
            Target = target,
            ExtraParams = [("CONTENT_LENGTH", $"{length}")],
        });

    /// <summary>Begin, params and their end.</summary>
    protected static RecordBuilder Begin(RequestScript request) => new RecordBuilder()
        .Begin(request.Id, request.Role, request.KeepConnection)
        .Params(request.Id, request.ToParams())
        .EndParams(request.Id);

    /// <summary>A request without a body, by the content of its params.</summary>
    protected static RecordBuilder FromParams(ReadOnlySpan<byte> content) =>
        new RecordBuilder().Begin().Stream(4, 1, content).EndParams().EndStdin();

    /// <summary>More of a body, and its end.</summary>
    protected static RecordBuilder EndBody(ReadOnlySpan<byte> rest, int id = 1) =>
        new RecordBuilder().Stdin(id, rest).EndStdin(id);

    protected static byte[] RandomBytes(int length, int seed = 1)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    protected static RequestDelegate Write(string text) => context => context.Response.WriteAsync(text);

    protected static Task WritePathAsync(HttpContext context) =>
        context.Response.WriteAsync(context.Request.Path.Value!);

    protected static Task EchoAsync(HttpContext context) => context.Request.Body.CopyToAsync(context.Response.Body);

    /// <summary>Reads a body to its end, and answers how long it was.</summary>
    protected static async Task WriteLengthAsync(HttpContext context)
    {
        var length = 0L;
        var buffer = new byte[64 * 1024];
        for (int read; (read = await context.Request.Body.ReadAsync(buffer)) > 0;)
        {
            length += read;
        }

        await context.Response.WriteAsync($"{length}");
    }

    /// <summary>An application that awaits nothing.</summary>
    protected static RequestDelegate Run(Action<HttpContext> application) => context =>
    {
        application(context);
        return Task.CompletedTask;
    };

    /// <summary>Sends a request, and returns when its handler has begun.</summary>
    protected async Task EnterAsync(ScriptedPeer peer, RecordBuilder request)
    {
        await peer.SendAsync(request);
        await Entered.WaitAsync();
    }

    /// <summary>Until the test lets the handler go on. An abort does not end the wait.</summary>
    protected async Task WaitAsync(HttpContext context)
    {
        context.RequestAborted.Register(Aborted.Reach);
        Entered.Reach();
        await GoOn.WaitAsync();
    }

    /// <summary>Keeps its thread for a request of /block, until the test sets <see cref="Unblock"/>.</summary>
    protected Task BlockAsync(HttpContext context)
    {
        if (context.Request.Path == "/block")
        {
            context.RequestAborted.Register(Aborted.Reach);
            Entered.Reach();
            Unblock.Wait();
        }

        return WritePathAsync(context);
    }

    protected async Task WaitForAbortAsync(HttpContext context)
    {
        context.RequestAborted.Register(Aborted.Reach);
        Entered.Reach();
        await Aborted.WaitAsync();
    }

    protected Task StartAsync(
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null,
        Action<WebApplicationBuilder>? configure = null) =>
        StartAsync(Transports.Usual, application, options, clock, configure);

    protected async Task StartAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null,
        Action<WebApplicationBuilder>? configure = null) =>
        Server = EndsWithTest(await FunctionalServer.StartAsync(transport, application, options, clock, configure));

    protected async Task<ScriptedPeer> ConnectAsync() => EndsWithTest(await Server.ConnectAsync());

    /// <summary>The last one ends first.</summary>
    protected T EndsWithTest<T>(T started)
        where T : IAsyncDisposable
    {
        _started.Push(started);
        return started;
    }

    /// <summary>A server and its first connection.</summary>
    protected Task<ScriptedPeer> StartAndConnectAsync(
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null,
        Action<WebApplicationBuilder>? configure = null) =>
        StartAndConnectAsync(Transports.Usual, application, options, clock, configure);

    /// <summary>The same on some transport.</summary>
    protected async Task<ScriptedPeer> StartAndConnectAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null,
        Action<WebApplicationBuilder>? configure = null)
    {
        await StartAsync(transport, application, options, clock, configure);
        return await ConnectAsync();
    }

    /// <summary>A server, its first connection, and a request whose handler has begun.</summary>
    protected Task<ScriptedPeer> StartAndEnterAsync(
        RequestDelegate application,
        RecordBuilder request,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null) =>
        StartAndEnterAsync(Transports.Usual, application, request, options, clock);

    /// <summary>The same on some transport.</summary>
    protected async Task<ScriptedPeer> StartAndEnterAsync(
        ServerTransport transport,
        RequestDelegate application,
        RecordBuilder request,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null)
    {
        var peer = await StartAndConnectAsync(transport, application, options, clock);
        await EnterAsync(peer, request);
        return peer;
    }

    /// <summary>A server, a connection, one request and its answer.</summary>
    protected Task<CgiResponse> RespondAsync(
        RequestDelegate application, RecordBuilder? request = null, Action<FastCgiServerOptions>? options = null) =>
        RespondAsync(Transports.Usual, application, request, options);

    /// <summary>The same on some transport.</summary>
    protected async Task<CgiResponse> RespondAsync(
        ServerTransport transport,
        RequestDelegate application,
        RecordBuilder? request = null,
        Action<FastCgiServerOptions>? options = null)
    {
        var peer = await StartAndConnectAsync(transport, application, options);
        return await peer.RoundTripAsync(request ?? Get());
    }

    /// <summary>What the one request of a server is answered: the status, Content-Length, the body.</summary>
    protected async Task AssertRespondsAsync(
        (int Status, string? Length, string Body) expected,
        RequestDelegate application,
        RecordBuilder? request = null,
        Action<FastCgiServerOptions>? options = null)
    {
        var response = await RespondAsync(application, request, options);
        AssertResponse(expected, response);
        Assert.Equal(0, response.ProtocolStatus);
    }

    /// <summary>An error of the application, before its response started: status 500, without a body.</summary>
    protected async Task AssertFailsAsync(
        RequestDelegate application, RecordBuilder? request = null, Predicate<LogEntry>? isExpected = null)
    {
        var peer = await StartAndConnectAsync(application);
        ExpectError(isExpected);
        var response = await peer.RoundTripAsync(request ?? Get());
        Assert.Equal((500, ""), (response.StatusCode, response.BodyText));
    }

    /// <summary>An error of the application behind the start: the response is torn, and the connection ends.</summary>
    protected async Task<CgiResponse> AssertTearsAsync(
        string body,
        RequestDelegate application,
        RecordBuilder? request = null,
        Action<FastCgiServerOptions>? options = null,
        Predicate<LogEntry>? isExpected = null)
    {
        var peer = await StartAndConnectAsync(application, options);
        ExpectError(isExpected);
        await peer.SendAsync(request ?? Get());
        var response = await peer.ExpectTornResponseAsync();
        Assert.Equal((200, body), (response.StatusCode, response.BodyText));
        Assert.False(response.IsStdoutEnded);
        Assert.Null(response.ProtocolStatus);
        return response;
    }

    protected static void AssertResponse((int Status, string? Length, string Body) expected, CgiResponse response) =>
        Assert.Equal(expected, (response.StatusCode, response.Header("Content-Length"), response.BodyText));

    /// <summary>The body that a GET with further params is answered.</summary>
    protected static async Task<string> AskAsync(ScriptedPeer peer, params (string, string)[] more) =>
        (await peer.RoundTripAsync(Get() with { ExtraParams = more })).BodyText;

    /// <summary>The same connection takes another request.</summary>
    protected static async Task AssertServesAsync(ScriptedPeer peer, int id = 1)
    {
        var response = await peer.RoundTripAsync(Get() with { Id = id });
        Assert.Equal(200, response.StatusCode);
        Assert.Equal(0, response.ProtocolStatus);
    }

    /// <summary>Whatever became of that connection, a new one is served.</summary>
    protected async Task AssertServesAnotherConnectionAsync() => await AssertServesAsync(await ConnectAsync());

    /// <summary>Throws when the server refuses connections: the listener is closed a moment after the stop began.</summary>
    protected async Task RefusedAsync()
    {
        while (true)
        {
            // One that was accepted before that leaves without a word.
            await using var peer = await Server.ConnectAsync();
        }
    }

    private void ExpectError(Predicate<LogEntry>? isExpected) => Logs.ExpectError(entry =>
        entry.EventId.Id == ApplicationError && (isExpected is null || isExpected(entry)));
}
