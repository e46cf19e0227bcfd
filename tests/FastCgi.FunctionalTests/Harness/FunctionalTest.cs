using System.Collections.Concurrent;
using System.Text;
using FastCgi.AspNetCore;
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

    protected FunctionalServer Server { get; private set; } = null!;

    protected LogRecorder Logs => Server.Logs;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        // Peers before their server, so that it has nobody left to wait for.
        while (_started.TryPop(out var last))
        {
            await last.DisposeAsync();
        }

        Server?.Logs.Clear();
    }

    protected static RequestScript Get(string target = "/") => new() { Target = target };

    protected static RequestScript Head(string target = "/") => new() { Method = "HEAD", Target = target };

    protected static RequestScript Post(string body, string target = "/") => Post(Encoding.UTF8.GetBytes(body), target);

    protected static RequestScript Post(byte[] body, string target = "/") =>
        new() { Method = "POST", Body = body, Target = target };

    /// <summary>Begin, params and their end: the body is for the test to send.</summary>
    protected static RecordBuilder BeginPost(int length, int id = 1, bool keepConnection = true)
    {
        var script = new RequestScript { Id = id, Method = "POST", ExtraParams = [("CONTENT_LENGTH", $"{length}")] };
        return new RecordBuilder().Begin(id, keepConnection: keepConnection).Params(id, script.ToParams()).EndParams(id);
    }

    protected static RequestDelegate Write(string text) => context => context.Response.WriteAsync(text);

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
        Action<WebApplicationBuilder>? configure = null)
    {
        Server = await FunctionalServer.StartAsync(transport, application, options, clock, configure);
        _started.Push(Server);
    }

    protected async Task<ScriptedPeer> ConnectAsync()
    {
        var peer = await Server.ConnectAsync();
        _started.Push(peer);
        return peer;
    }

    /// <summary>A server and its first connection.</summary>
    protected Task<ScriptedPeer> StartAndConnectAsync(
        RequestDelegate application, Action<FastCgiServerOptions>? options = null, TimeProvider? clock = null) =>
        StartAndConnectAsync(Transports.Usual, application, options, clock);

    /// <inheritdoc cref="StartAndConnectAsync(RequestDelegate, Action{FastCgiServerOptions}?, TimeProvider?)"/>
    protected async Task<ScriptedPeer> StartAndConnectAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null)
    {
        await StartAsync(transport, application, options, clock);
        return await ConnectAsync();
    }

    /// <summary>A server, a connection, one request and its answer.</summary>
    protected Task<CgiResponse> RespondAsync(
        RequestDelegate application, RequestScript? request = null, Action<FastCgiServerOptions>? options = null) =>
        RespondAsync(Transports.Usual, application, request, options);

    /// <inheritdoc cref="RespondAsync(RequestDelegate, RequestScript?, Action{FastCgiServerOptions}?)"/>
    protected async Task<CgiResponse> RespondAsync(
        ServerTransport transport,
        RequestDelegate application,
        RequestScript? request = null,
        Action<FastCgiServerOptions>? options = null)
    {
        var peer = await StartAndConnectAsync(transport, application, options);
        return await peer.RoundTripAsync(request ?? Get());
    }

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
}
