using System.Diagnostics;

namespace FastCgi.FunctionalTests.Performance;

/// <summary>
/// Handlers that keep their thread and do not await. Threads are the whole process's, so nothing else may run.
/// </summary>
[Collection(nameof(Alone))]
public sealed class BlockedHandlerTests : FunctionalTest
{
    private static readonly TimeSpan s_noticed = Deadline.Of(TimeSpan.FromSeconds(2));
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(1);

    private readonly SyncPoint _allEntered = "all handlers that block";
    private readonly SyncPoint _abortNoticed = "RequestAborted of a handler that blocks";
    private long _noticedAt;
    private int _missing;

    /// <summary>One handler, one for each core, and twice that.</summary>
    private static readonly HashSet<int> s_numbers = [1, Environment.ProcessorCount, 2 * Environment.ProcessorCount];

    public static MatrixTheoryData<ServerTransport, int> Numbers { get; } = new(Transports.All, s_numbers);

    public static MatrixTheoryData<ServerTransport, int, bool> Ends { get; } =
        new(Transports.All, s_numbers, [true, false]);

    [Theory, MemberData(nameof(Numbers))]
    public async Task Handlers_that_block_stall_neither_their_connection_nor_another(
        ServerTransport transport, int number)
    {
        var peer = await StartBlockedAsync(transport, number);

        for (var i = 0; i < 5; i++)
        {
            Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick") with { Id = 1000 })).BodyText);
        }

        var other = await ConnectAsync();
        other.Timeout = s_long;
        Assert.Equal("/quick", (await other.RoundTripAsync(Get("/quick"))).BodyText);
        Assert.False(Unblock.IsSet);
        Unblock.Set();

        for (var id = 1; id <= number; id++)
        {
            Assert.Equal($"/block/{id}", (await peer.ExpectResponseAsync(id)).BodyText);
        }
    }

    [Theory, MemberData(nameof(Ends))]
    public async Task A_handler_that_blocks_hears_of_an_abort_or_a_close_in_two_seconds(
        ServerTransport transport, int number, bool isAbort)
    {
        var peer = await StartBlockedAsync(transport, number);

        var endedAt = Stopwatch.GetTimestamp();
        await (isAbort ? peer.SendAsync(new RecordBuilder().Abort(number)) : peer.DisposeAsync().AsTask());
        await _abortNoticed.WaitAsync(s_long);
        Unblock.Set();

        Assert.InRange(Stopwatch.GetElapsedTime(endedAt, _noticedAt), TimeSpan.Zero, s_noticed);
    }

    /// <summary>A connection with so many requests whose handlers have their threads and keep them.</summary>
    private async Task<ScriptedPeer> StartBlockedAsync(ServerTransport transport, int number)
    {
        _missing = number;
        var peer = await StartAndConnectAsync(transport, Serve);
        peer.Timeout = s_long;
        for (var id = 1; id <= number; id++)
        {
            await peer.SendRequestAsync(target: $"/block/{id}", id: id);
        }

        await _allEntered.WaitAsync(s_long);
        return peer;
    }

    private Task Serve(HttpContext context)
    {
        if (context.Request.Path.StartsWithSegments("/block", StringComparison.Ordinal))
        {
            using var registration = context.RequestAborted.Register(() =>
            {
                Interlocked.CompareExchange(ref _noticedAt, Stopwatch.GetTimestamp(), 0);
                _abortNoticed.Reach();
            });
            if (Interlocked.Decrement(ref _missing) == 0)
            {
                _allEntered.Reach();
            }

            Unblock.Wait(s_long);
        }

        return context.Response.WriteAsync(context.Request.Path.Value!);
    }
}
