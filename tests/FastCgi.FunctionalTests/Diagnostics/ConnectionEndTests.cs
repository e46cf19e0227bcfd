using System.Diagnostics.Metrics;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>
/// The error.type of a connection's duration. A request that was refused, or failed before its response, is no failure
/// of its connection, which carries others.
/// </summary>
public sealed class ConnectionEndTests : FunctionalTest
{
    private readonly ManualTimeProvider _clock = new();
    private readonly SyncPoint _entered = "the handler";
    private readonly SyncPoint _goOn = "the test to let the handler go on";
    private readonly TaskCompletionSource<string?> _error = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private MeterListener? _listener;

    public override async ValueTask DisposeAsync()
    {
        _goOn.Reach();
        await base.DisposeAsync();
        _listener?.Dispose();
        GC.SuppressFinalize(this);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_peer_that_leaves_between_requests_is_none(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, Write("x"));
        await AssertServesAsync(peer);

        await peer.DisposeAsync();

        Assert.Null(await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_client_that_ends_its_upgraded_connection_is_none(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(
            transport,
            static async context =>
            {
                context.Response.Headers.Upgrade = "mine";
                var stream = await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
                await stream.CopyToAsync(Stream.Null);
            },
            static options => options.ConfigureEndpointDefaults(static endpoint => endpoint.AllowUpgrade = true));
        var upgrade = Get() with
        {
            Headers = [("Connection", "upgrade"), ("Upgrade", "mine")], ExtraParams = [("CONTENT_LENGTH", "0")],
        };
        await peer.SendAsync(new RecordBuilder().Begin().Params(1, upgrade.ToParams()).EndParams());
        await peer.ExpectResponseStartAsync();

        await peer.DisposeAsync();

        Assert.Null(await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Refused_and_failed_requests_are_none(ServerTransport transport)
    {
        const int ApplicationError = 13;
        var peer = await StartMeasuredAsync(
            transport, static _ => throw new InvalidOperationException("on purpose"));
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
        Assert.Equal(400, (await peer.RoundTripAsync(Get("/a%00b") with { KeepConnection = false })).StatusCode);

        await peer.ExpectEndOfStreamAsync();
        Assert.Null(await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_before_the_start_is_aborted_by_app(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync(Get());
        await peer.ExpectClosedAsync();
        await peer.DisposeAsync();

        Assert.Equal("aborted_by_app", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_failure_after_the_start_is_aborted_by_app(ServerTransport transport)
    {
        const int ApplicationError = 13;
        var peer = await StartMeasuredAsync(transport, async context =>
        {
            await context.Response.WriteAsync("begun");
            throw new InvalidOperationException("on purpose");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync(Get());
        await peer.ExpectTornResponseAsync();
        await peer.DisposeAsync();

        Assert.Equal("aborted_by_app", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_response_that_broke_off_by_RequestTimeout_is_request_timeout(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(
            transport,
            async context =>
            {
                await context.Response.WriteAsync("begun");
                await WaitAsync(context);
            },
            options => options.Limits.RequestTimeout = TimeSpan.FromSeconds(10));
        await peer.SendRequestAsync(Get());
        await peer.ExpectResponseStartAsync();
        await _entered.WaitAsync();

        _clock.Advance(TimeSpan.FromSeconds(20));
        await peer.ExpectTornResponseAsync();
        await peer.DisposeAsync();

        Assert.Equal("request_timeout", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_stop_that_waits_for_the_request_is_none(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, WaitAsync);
        await peer.SendRequestAsync(Get());
        await _entered.WaitAsync();

        var stop = Server.StopAsync();
        _goOn.Reach();

        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        await stop.Within("the stop");
        Assert.Null(await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_stop_that_does_not_is_app_shutdown_timeout(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, WaitAsync);
        await peer.SendRequestAsync(Get());
        await _entered.WaitAsync();

        var stop = Server.StopAsync(new CancellationToken(canceled: true));

        Assert.Equal("app_shutdown_timeout", await EndAsync());
        _goOn.Reach();
        await stop.Within("the stop");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_idle_connection_is_keep_alive_timeout(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(
            transport, Write("x"), options => options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10));
        await AssertServesAsync(peer);

        _clock.Advance(TimeSpan.FromSeconds(12));

        await peer.ExpectEndOfStreamAsync();
        Assert.Equal("keep_alive_timeout", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_reset_while_a_handler_runs_is_connection_reset(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, WaitAsync);
        await peer.SendRequestAsync(Get());
        await _entered.WaitAsync();

        peer.Reset();
        // On a unix socket the heartbeat looks whether both directions have ended.
        await _clock.PassUntilAsync(EndAsync());

        Assert.Equal("connection_reset", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Wrong_bytes_are_a_protocol_violation(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, Write("x"));

        await peer.SendAsync(new byte[] { 9, 9, 9, 9, 9, 9, 9, 9 });

        Assert.Equal("protocol_violation", await EndAsync());
    }

    private Task<string?> EndAsync() => _error.Task.Within("the duration of the connection");

    private async Task<ScriptedPeer> StartMeasuredAsync(
        ServerTransport transport, RequestDelegate application, Action<FastCgiServerOptions>? options = null)
    {
        await StartAsync(transport, application, options, _clock);
        var factory = Server.Services.GetRequiredService<IMeterFactory>();
        _listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Name == "fastcgi.connection.duration" && ReferenceEquals(instrument.Meter.Scope, factory))
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        _listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            string? error = null;
            foreach (var tag in tags)
            {
                error = tag.Key == "error.type" ? tag.Value as string : error;
            }

            _error.TrySetResult(error);
        });
        _listener.Start();
        return await ConnectAsync();
    }

    private async Task WaitAsync(HttpContext context)
    {
        _entered.Reach();
        await _goOn.WaitAsync();
    }
}
