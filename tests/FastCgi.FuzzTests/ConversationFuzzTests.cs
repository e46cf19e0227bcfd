using System.Diagnostics;
using FastCgi.FuzzTests.Conversations;
using FastCgi.FuzzTests.Execution;
using FastCgi.FuzzTests.Harness;
using FastCgi.FuzzTests.Model;
using Microsoft.Extensions.Logging;

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

    private static readonly TimeSpan s_duration = TimeSpan.FromSeconds(Settings.Number("FASTCGI_FUZZ_SECONDS") ?? 20);

    private static readonly int s_seed = Settings.Number("FASTCGI_FUZZ_SEED")
        ?? (Settings.IsBuildMachine ? 1 : Random.Shared.Next(1, 1_000_000_000));

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.EpollOnTcp)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task Every_conversation_ends_as_the_model_says(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        Figures.Write(output, $"{transport}: FASTCGI_FUZZ_SEED={s_seed}");
        var descriptors = ProcessCounts.Descriptors;
        var pool = new CountingBufferPool();
        var application = new FuzzApplication();
        var server = await StartAsync(transport, application, pool);
        await using (server)
        {
            using var connections = new ConnectionGauge(server);
            var isUnix = transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix;
            var executor = new Executor(server, application, isUnix);
            var started = Stopwatch.GetTimestamp();
            var held = 0;
            var steady = 0;
            while (Stopwatch.GetElapsedTime(started) < s_duration / Transports)
            {
                await RunBatchAsync(executor, application, s_seed + held);
                held += Batch;
                await connections.DropsToZeroAsync();
                server.Logs.AssertNoUnexpectedErrors();
                steady = steady == 0 ? ProcessCounts.Threads : steady;
            }

            var elapsed = Stopwatch.GetElapsedTime(started);
            Figures.Write(output, $"{transport}: {held} conversations in {elapsed.TotalSeconds:F1} s, "
                + $"{held / elapsed.TotalSeconds:F0} a second; next FASTCGI_FUZZ_SEED={s_seed + held}");
            foreach (var line in TransitionReport.Lines())
            {
                Figures.Write(output, line);
            }

            // The thread pool comes and goes as it likes, but not without end.
            Assert.InRange(ProcessCounts.Threads, 1, steady + 20);
            using var stop = new CancellationTokenSource(Deadline.Default);
            await server.StopAsync(stop.Token);
            Assert.DoesNotContain(server.Logs.Entries, entry => entry.Category.EndsWith("Server", StringComparison.Ordinal)
                && entry.Level == LogLevel.Warning && entry.Message.Contains("aborted", StringComparison.Ordinal));
        }

        await Eventually.HoldsAsync(
            () => ProcessCounts.Descriptors <= descriptors + 2,
            () => $"{ProcessCounts.Descriptors} descriptors, {descriptors} before");
        Assert.Equal(0, pool.ReturnedTwice);
        Assert.Equal(0, pool.Outstanding);
    }

    [Fact]
    public void The_same_seed_makes_the_same_conversation()
    {
        for (var seed = 1; seed < 200; seed++)
        {
            Assert.Equal(CSharp.Of(Generator.Create(seed)), CSharp.Of(Generator.Create(seed)));
        }
    }

    private static Task<FunctionalServer> StartAsync(
        ServerTransport transport, FuzzApplication application, CountingBufferPool pool) =>
        FunctionalServer.StartAsync(transport, application.RunAsync, configure: builder =>
        {
            // What a peer causes is logged at Debug: millions of entries that nobody reads.
            builder.Logging.SetMinimumLevel(LogLevel.Warning);
            pool.AddTo(builder.Services);
        });

    private async Task RunBatchAsync(Executor executor, FuzzApplication application, int firstSeed)
    {
        var models = new ConversationModel[Batch];
        var failed = 0;
        await Parallel.ForAsync(
            0, Batch, new ParallelOptions { MaxDegreeOfParallelism = SideBySide }, async (number, _) =>
            {
                var conversation = Generator.Create(firstSeed + number);
                var (error, model) = await executor.RunAsync(conversation);
                models[number] = model;
                // The others that fail with the first one are no news.
                if (error is not null && Interlocked.Exchange(ref failed, 1) == 0)
                {
                    Assert.Fail(await ExplainAsync(executor, conversation, error));
                }
            });
        await Eventually.HoldsAsync(
            () => application.Running == 0, () => $"{application.Running} requests never left the application");
        for (var number = 0; number < Batch; number++)
        {
            var key = Generator.Create(firstSeed + number).Key;
            Assert.Null(Verdict.OnSightings(models[number], application.SeenOf(key)));
        }

        Assert.True(application.Complaints.Count == 0, application.Complaints.FirstOrDefault());
        application.Forget();
    }

    private async Task<string> ExplainAsync(Executor executor, Conversation failing, string error)
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
        var message = string.Join(
            Environment.NewLine, $"Repeat it with FASTCGI_FUZZ_SEED={failing.Seed}: {error}", $"Made smaller: {last}", CSharp.Of(smallest));
        return message;
    }
}
