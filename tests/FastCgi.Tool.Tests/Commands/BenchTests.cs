using System.Collections.Concurrent;
using System.Globalization;
using FastCgi.AspNetCore;
using FastCgi.Gateway.Tests.Php;
using FastCgi.Protocol;
using FastCgi.Tool.Benchmarks;
using FastCgi.Tool.Requests;

namespace FastCgi.Tool.Tests.Commands;

public sealed class BenchTests
{
    [Fact]
    public async Task A_number_of_requests_is_sent_and_counted()
    {
        var run = await ToolRun.OnEchoAsync(
            "bench", "APP", "/", "-n", "500", "-c", "4", "--warm-up", "0", "--json");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(500, (int)run.Json["requests"]!);
        Assert.Equal(500, (int)run.Json["statuses"]!["200"]!);
        Assert.Equal(0, (int)run.Json["failures"]!);
        double[] times = [.. new[] { "minimum", "p50", "p75", "p90", "p95", "p99", "p99.9", "maximum" }
            .Select(name => (double)run.Json["milliseconds"]![name]!)];
        Assert.Equal(times.Order(), times);
        Assert.True(times[0] > 0);
    }

    [Fact]
    public async Task The_report_has_percentiles_and_a_histogram()
    {
        var run = await ToolRun.OnEchoAsync(
            "bench", "APP", "/", "-n", "200", "-c", "2", "--warm-up", "0.1", "--close");

        run.Succeeds("p99.9", "█");
        long[] bars = [.. run.Output.Split('\n').Where(static line => line.StartsWith("<=", StringComparison.Ordinal))
            .Select(static line => long.Parse(
                line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^1], CultureInfo.InvariantCulture))];
        Assert.Equal(12, bars.Length);
        Assert.Equal(200, bars.Sum());
    }

    /// <summary>The first request is the one that finds out whether the endpoint is right.</summary>
    [Theory]
    [InlineData(5, "--close")]
    [InlineData(0)]
    public async Task Each_request_closes_its_connection_where_that_is_asked_for(int closed, params string[] arguments)
    {
        var keeps = new ConcurrentQueue<bool>();
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, context =>
        {
            keeps.Enqueue(context.Features.Get<IFastCgiRequestFeature>()!.KeepConnection);
            return Task.CompletedTask;
        });

        var run = await ToolRun.OfAsync(
            ["bench", server.Address, "/", "-n", "5", "-c", "1", "--warm-up", "0", .. arguments]);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal([true, .. Enumerable.Repeat(closed == 0, 5)], keeps);
    }

    /// <summary>A stall delays the requests behind it too, as it would delay those of users.</summary>
    [Fact]
    public async Task The_time_of_a_request_counts_from_its_place_in_the_schedule()
    {
        var clock = new ManualTimeProvider();
        using var invoker = new HttpMessageInvoker(
            new TimedHandler(clock, TimeSpan.FromSeconds(5), TimeSpan.Zero));
        var worker = new BenchWorker(invoker, AnySettings(), clock);

        await worker.RunAsync(
            new BenchSchedule(clock, TimeSpan.FromSeconds(10), requests: 2, rate: 1), CancellationToken.None)
            .Within("two requests");

        Assert.Equal(TimeSpan.FromSeconds(5), worker.Latencies.Maximum);
        Assert.Equal(TimeSpan.FromSeconds(4), worker.Latencies.Minimum);
    }

    /// <summary>A timer counts whole milliseconds. What it is late belongs to no request.</summary>
    [Fact]
    public async Task A_request_is_not_sent_before_its_place_in_the_schedule()
    {
        var clock = new ManualTimeProvider();
        var handler = new TimedHandler(clock, TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1));
        using var invoker = new HttpMessageInvoker(handler);
        var worker = new BenchWorker(invoker, AnySettings(), clock);

        var requests = worker.RunAsync(
            new BenchSchedule(clock, TimeSpan.FromSeconds(10), requests: 2, rate: 400), CancellationToken.None);
        await Eventually.HoldsAsync(() => clock.ActiveTimers == 1, () => "no request waits");
        clock.TakeNext()!();
        await requests.Within("two requests");

        Assert.Equal([TimeSpan.Zero, TimeSpan.FromMilliseconds(3)], handler.Sent);
        Assert.Equal(TimeSpan.FromMilliseconds(1), worker.Latencies.Minimum);
        Assert.Equal(TimeSpan.FromMilliseconds(1), worker.Latencies.Maximum);
    }

    /// <summary>A real timer counts from the last tick of its own clock, and can come a little early.</summary>
    [Fact]
    public async Task A_request_waits_again_after_a_timer_that_came_early()
    {
        var clock = new EarlyTimers();
        var handler = new TimedHandler(clock.Provider, TimeSpan.Zero, TimeSpan.Zero);
        using var invoker = new HttpMessageInvoker(handler);
        var worker = new BenchWorker(invoker, AnySettings(), clock);

        var requests = worker.RunAsync(
            new BenchSchedule(clock, TimeSpan.FromSeconds(10), requests: 2, rate: 100), CancellationToken.None);
        for (var i = 0; i < 2; i++)
        {
            await Eventually.HoldsAsync(() => clock.Provider.ActiveTimers == 1, () => "no request waits");
            clock.Provider.TakeNext()!();
        }

        await requests.Within("two requests");

        Assert.Equal([TimeSpan.Zero, TimeSpan.FromMilliseconds(10)], handler.Sent);
    }

    [Theory]
    [InlineData(60)]
    [InlineData(120)]
    public void The_histogram_fits_the_width_of_the_terminal(int width)
    {
        var output = new StringWriter();
        var terminal = new ToolTerminal(output, TextWriter.Null, Stream.Null, Stream.Null);
        terminal.Console.Profile.Width = width;
        var latencies = new LatencyHistogram();
        foreach (var i in Enumerable.Range(1, 100_000))
        {
            latencies.Record(TimeSpan.FromTicks(1_000 + (i % 5_000)));
        }

        BenchReport.Write(
            terminal,
            new BenchPlan(1, TimeSpan.FromSeconds(1), null, TimeSpan.Zero, null, null),
            new BenchResult(TimeSpan.FromSeconds(1), latencies, 0, new Dictionary<int, long>(), new Dictionary<string, long>()));

        Assert.All(output.ToString().Split('\n'), line => Assert.True(line.TrimEnd().Length <= width, line));
        Assert.Equal(12, output.ToString().Split("<=").Length - 1);
    }

    /// <summary>Its processes keep their connections, and the others wait until the time is over.</summary>
    [Fact]
    public async Task More_connections_than_PHP_has_processes_end_with_advice()
    {
        using var directory = new WorkDirectory();
        await using var php = await PhpFpm.StartAsync(directory);

        var run = await ToolRun.OfAsync(
            "bench", php.Endpoint, "/", "-c", "8", "-n", "200", "-t", "1", "--warm-up", "0",
            "--timeout", ToolRun.AmpleTimeout);

        run.Fails(ExitCode.Findings, "-c pm.max_children at most, or --close");
    }

    [Fact]
    public async Task A_rate_spreads_the_requests_over_time()
    {
        var run = await ToolRun.OnEchoAsync(
            "bench", "APP", "/", "-c", "2", "--rate", "100", "-t", "0.5", "--warm-up", "0", "--json");

        Assert.Equal(50, (int)run.Json["requests"]!);
        Assert.InRange((double)run.Json["seconds"]!, 0.48, Deadline.Of(TimeSpan.FromSeconds(5)).TotalSeconds);
    }

    [Fact]
    public async Task Statuses_of_errors_are_status_1()
    {
        var run = await ToolRun.OnEchoAsync("bench", "APP", "/?status=500", "-n", "10", "--warm-up", "0");

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.Contains("status 500", run.Output, StringComparison.Ordinal);
    }

    private static RequestSettings AnySettings()
    {
        Assert.True(FastCgiEndpoint.TryParse("127.0.0.1:9000", out var endpoint, out _));
        return new RequestSettings
        {
            EndpointText = "127.0.0.1:9000",
            Endpoint = endpoint,
            Uri = new Uri("http://localhost/"),
            Target = "/",
        };
    }

    /// <summary>Answers after a time on the clock, which may be another for the first request.</summary>
    private sealed class TimedHandler(ManualTimeProvider clock, TimeSpan first, TimeSpan others) : HttpMessageHandler
    {
        private readonly long _start = clock.GetTimestamp();

        /// <summary>When each request came, from the start.</summary>
        public List<TimeSpan> Sent { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Sent.Add(clock.GetElapsedTime(_start));
            clock.Advance(Sent.Count == 1 ? first : others);
            return Task.FromResult(new HttpResponseMessage());
        }
    }

    /// <summary>Each timer longer than 2 ms comes 2 ms early.</summary>
    private sealed class EarlyTimers : TimeProvider
    {
        private static readonly TimeSpan s_early = TimeSpan.FromMilliseconds(2);

        public ManualTimeProvider Provider { get; } = new();

        public override long TimestampFrequency => Provider.TimestampFrequency;

        public override long GetTimestamp() => Provider.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            Provider.CreateTimer(callback, state, dueTime > s_early ? dueTime - s_early : dueTime, period);
    }
}
