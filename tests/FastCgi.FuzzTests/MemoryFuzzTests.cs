using System.Diagnostics;

namespace FastCgi.FuzzTests;

/// <summary>
/// Whole conversations in memory: the shipped codec, connections and requests, with a transport, a clock and a
/// scheduler that one seed decides. FASTCGI_FUZZ_MEMORY_SECONDS sets how long (5 by default), FASTCGI_FUZZ_SEED where
/// to begin.
/// </summary>
public sealed class MemoryFuzzTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_duration = TimeSpan.FromSeconds(
        RunSettings.Number("FASTCGI_FUZZ_MEMORY_SECONDS") ?? 5);

    /// <summary>A world takes a few milliseconds; a step of it that never ends can only be told from outside.</summary>
    private static readonly TimeSpan s_longestWorld = TimeSpan.FromMinutes(1);

    [Fact]
    public void Every_world_ends_as_the_model_says()
    {
        using var still = new StillMonitor();
        Figures.Write(output, $"Memory: FASTCGI_FUZZ_SEED={RunSettings.Seed}");
        var started = Stopwatch.GetTimestamp();
        var processor = Environment.CpuUsage.TotalTime;
        long worlds = 0, steps = 0, requests = 0;
        ulong seed = 0;
        using var watchdog = new Timer(_ => Environment.FailFast($"The world of seed {seed} has not ended."));
        while (Stopwatch.GetElapsedTime(started) < s_duration)
        {
            seed = (ulong)RunSettings.Seed + (ulong)worlds;
            watchdog.Change(s_longestWorld, Timeout.InfiniteTimeSpan);
            var world = new World(seed);
            var error = world.Run();
            if (error is not null)
            {
                Assert.Fail($"Repeat it with FASTCGI_FUZZ_SEED={seed}: {error}\n{World.Explain(seed, error)}");
            }

            worlds++;
            steps += world.Steps;
            requests += world.Requests;
        }

        var held = worlds * World.Conversations;
        var seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        var busy = (Environment.CpuUsage.TotalTime - processor).TotalSeconds;
        Figures.Write(output, $"Memory: {held} conversations, {requests} requests, {steps} steps in "
            + $"{seconds:F1} s, of these {busy:F1} s of one processor: {held / busy:F0} conversations a "
            + $"second of it; next FASTCGI_FUZZ_SEED={seed + 1}");
        foreach (var line in TransitionReport.Lines())
        {
            Figures.Write(output, line);
        }
    }

    [Fact]
    public void The_same_seed_takes_the_same_steps()
    {
        using var still = new StillMonitor();
        for (ulong seed = 1; seed < 60; seed++)
        {
            var first = new World(seed);
            var second = new World(seed);
            Assert.Null(first.Run());
            Assert.Null(second.Run());
            Assert.Equal(first.Steps, second.Steps);
            Assert.Equal(first.Trace.Hash, second.Trace.Hash);
        }
    }

    [Fact]
    public void Another_seed_takes_other_steps()
    {
        using var still = new StillMonitor();
        var hashes = new HashSet<ulong>();
        for (ulong seed = 1; seed < 60; seed++)
        {
            var world = new World(seed);
            Assert.Null(world.Run());
            Assert.True(hashes.Add(world.Trace.Hash));
        }
    }
}
