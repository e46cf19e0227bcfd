using System.Diagnostics;

namespace FastCgi.FunctionalTests.Status;

/// <summary>The status is answered while handlers block. Threads are the whole process's, so nothing else may run.</summary>
[Collection(nameof(Alone))]
public sealed class BlockedStatusTests(ITestOutputHelper output) : FunctionalTest
{
    private const int Blocked = 64;
    private const int Rounds = 20;

    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(1);

    private readonly SyncPoint _allEntered = "all handlers that block";
    private int _missing = Blocked;

    private string SocketPath => Path.Combine(Folder, "status.sock");

    /// <summary>On an endpoint of its own with every transport; on the application's where threads are replaced.</summary>
    public static TheoryData<ServerTransport, bool> TransportsAndEndpoints => new()
    {
        { ServerTransport.EpollOnUnix, true },
        { ServerTransport.EpollOnUnix, false },
        { ServerTransport.EpollOnTcp, true },
        { ServerTransport.EpollOnTcp, false },
        { ServerTransport.SocketsOnUnix, true },
        { ServerTransport.SocketsOnTcp, true },
    };

    [Theory, MemberData(nameof(TransportsAndEndpoints))]
    public async Task The_status_comes_within_50_ms_while_64_handlers_block(ServerTransport transport, bool hasEndpoint)
    {
        ThreadPool.GetMinThreads(out var workers, out var completions);
        ThreadPool.SetMinThreads(Blocked + workers, completions);
        try
        {
            await StartAsync(transport, Block, options =>
            {
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add(IPNetwork.Parse("192.0.2.7/32"));
                options.Status.Endpoint = $"unix:{SocketPath}";
            });
            var busy = new List<ScriptedPeer>();
            for (var i = 0; i < Blocked; i++)
            {
                busy.Add(await ConnectAsync());
                await busy[i].SendRequestAsync(Get("/block"));
            }

            await _allEntered.WaitAsync(s_limit);

            // The best of them: the machine that runs the test does other things too, but no handler returns meanwhile.
            await using var peer = hasEndpoint
                ? await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath))
                : await Server.ConnectAsync();
            var times = new List<TimeSpan>();
            for (var i = 0; i < Rounds; i++)
            {
                var began = Stopwatch.GetTimestamp();
                var status = await peer.RoundTripAsync(Get("/status?full"));
                times.Add(Stopwatch.GetElapsedTime(began));
                Assert.Equal(Blocked, status.BodyText.Split("request URI:          /block\n").Length - 1);
            }

            times.Sort();
            output.WriteLine($"best {times[0].TotalMilliseconds:F1} ms, median {times[Rounds / 2].TotalMilliseconds:F1} ms");
            Assert.True(times[0] < Deadline.Of(TimeSpan.FromMilliseconds(50)), $"The status took {times[0]} at best.");
            Assert.False(Unblock.IsSet);
            Unblock.Set();
            foreach (var blocked in busy)
            {
                Assert.Equal(200, (await blocked.ExpectResponseAsync()).StatusCode);
            }
        }
        finally
        {
            Unblock.Set();
            ThreadPool.SetMinThreads(workers, completions);
        }
    }

    private Task Block(HttpContext context)
    {
        if (Interlocked.Decrement(ref _missing) == 0)
        {
            _allEntered.Reach();
        }

        Unblock.Wait(s_limit);
        return Task.CompletedTask;
    }
}
