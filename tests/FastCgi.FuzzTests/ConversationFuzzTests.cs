using System.Diagnostics;

namespace FastCgi.FuzzTests;

/// <summary>
/// Whole conversations, valid and mutated, against the real server. FASTCGI_FUZZ_SECONDS sets how long all
/// transports are tried together (20 by default). FASTCGI_FUZZ_SEED sets where to begin (anywhere by default, at 1 where
/// CI is true): the n-th conversation has this seed plus n, and is the same in every run.
/// </summary>
public sealed class ConversationFuzzTests(ITestOutputHelper output)
{
    private const int Batch = 200;
    private const int SideBySide = 4;
    private const int Transports = 4;

    private static readonly TimeSpan s_duration = TimeSpan.FromSeconds(RunSettings.Number("FASTCGI_FUZZ_SECONDS") ?? 20);

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.EpollOnTcp)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task Every_conversation_ends_as_the_model_says(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        Figures.Write(output, $"{transport}: FASTCGI_FUZZ_SEED={RunSettings.Seed}");
        var descriptors = ProcessCounts.Descriptors;
        var servers = await FuzzServers.StartAsync(transport);
        await using (servers)
        {
            var executor = new Executor(servers);
            var started = Stopwatch.GetTimestamp();
            var held = 0;
            var steady = 0;
            while (Stopwatch.GetElapsedTime(started) < s_duration / Transports)
            {
                await RunBatchAsync(executor, servers, (ulong)(RunSettings.Seed + held));
                held += Batch;
                await servers.AssertSettledAsync();
                steady = steady == 0 ? ProcessCounts.Threads : steady;
            }

            var elapsed = Stopwatch.GetElapsedTime(started);
            Figures.Write(output, $"{transport}: {held} conversations in {elapsed.TotalSeconds:F1} s, "
                + $"{held / elapsed.TotalSeconds:F0} a second; next FASTCGI_FUZZ_SEED={RunSettings.Seed + held}");
            foreach (var line in TransitionReport.Lines())
            {
                Figures.Write(output, line);
            }

            Assert.InRange(ProcessCounts.Threads, 1, steady + 20);
            await servers.StopAsync();
        }

        await Eventually.HoldsAsync(
            () => ProcessCounts.Descriptors <= descriptors + 2,
            () => $"{ProcessCounts.Descriptors} descriptors, {descriptors} before");
        Assert.Equal(0, servers.Pool.ReturnedTwice);
        Assert.Equal(0, servers.Pool.Outstanding);
    }

    [Fact]
    public void The_same_seed_makes_the_same_conversation()
    {
        for (ulong seed = 1; seed < 200; seed++)
        {
            Assert.All([Odds.Memory, Odds.Sockets], odds => Assert.Equal(
                CSharp.Of(Generator.Create(seed, odds)), CSharp.Of(Generator.Create(seed, odds))));
        }
    }

    private static async Task RunBatchAsync(Executor executor, FuzzServers servers, ulong firstSeed)
    {
        var models = new ConversationModel[Batch];
        var failed = 0;
        await Parallel.ForAsync(
            0, Batch, new ParallelOptions { MaxDegreeOfParallelism = SideBySide }, async (number, _) =>
            {
                var conversation = Generator.Create(firstSeed + (ulong)number, Odds.Sockets);
                var (error, model) = await executor.RunAsync(conversation);
                models[number] = model;
                // The others that fail with the first one are no news.
                if (error is not null && Interlocked.Exchange(ref failed, 1) == 0)
                {
                    Assert.Fail(await ExplainAsync(executor, conversation, error));
                }
            });
        await Eventually.HoldsAsync(
            () => servers.Application.Running == 0,
            () => $"{servers.Application.Running} requests never left the application");
        Assert.All(models, static model => Assert.Null(model.Sighting));
        Assert.Null(servers.Application.Error);
        servers.Targets.Clear();
    }

    private static async Task<string> ExplainAsync(Executor executor, Conversation failing, string error)
    {
        var last = error;
        executor.JudgesSightings = false;
        executor.Patience = TimeSpan.FromSeconds(2);
        var smallest = await Minimiser.MinimiseAsync(failing, async smaller =>
        {
            (var again, _) = await executor.RunAsync(smaller);
            last = again ?? last;
            return again is not null;
        });
        return string.Join(
            Environment.NewLine,
            $"Repeat it with FASTCGI_FUZZ_SEED={failing.Seed}: {error}",
            CSharp.Of(failing),
            $"Made smaller: {last}",
            CSharp.Of(smallest));
    }
}
