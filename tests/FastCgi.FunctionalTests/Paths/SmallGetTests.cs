using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.FunctionalTests.Paths;

/// <summary>
/// What the third GET of a kept connection passes, accessors of properties apart. Both budgets only shrink. The output
/// of the test lists the files in the order of the way.
/// </summary>
[Collection(nameof(Alone))]
public sealed class SmallGetTests(ITestOutputHelper output)
{
    /// <summary>Files with a method that runs between the receive of the request and the send of the answer.</summary>
    private const int MostFiles = 47;

    /// <summary>The seam of the fuzzer: without its switch, optimised code has nothing of it.</summary>
    private const string SwitchedOff = "Probe.cs";

    /// <summary>
    /// Calls from Requests into Connections or back, from the return of the application until the request is pooled: the
    /// end of the response, the stage that ends with it, and the return of the object.
    /// </summary>
    private const int MostCrossings = 3;

    private readonly InstrumentedServer _server = new();

    [Fact]
    public async Task It_passes_few_files_and_few_borders()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The way is that of the epoll transport.");
        var calls = await TraceThirdGetAsync();

        var receive = calls.FindIndex(static call => call.Method?.ToString() == "SocketDescriptor.Receive");
        var send = calls.FindLastIndex(static call => call.Method?.ToString() == "SocketDescriptor.Send");
        var files = calls[receive..(send + 1)]
            .Where(static call => call.Method is { IsGenerated: false, IsAccessor: false })
            .Select(static call => call.Method!.File)
            .Where(static file => Path.GetFileName(file) != SwitchedOff)
            .Distinct()
            .ToList();
        var returned = calls.FindIndex(static call => call.Method is null);
        var crossings = calls[returned..]
            .Where(IsCrossing)
            .Select(static call => $"{call.Caller} -> {call.Method}")
            .ToList();

        output.WriteLine($"{files.Count} files:\n{string.Join('\n', files)}");
        output.WriteLine($"{crossings.Count} crossings:\n{string.Join('\n', crossings)}");
        Assert.InRange(files.Count, 1, MostFiles);
        Assert.InRange(crossings.Count, 1, MostCrossings);
    }

    private static bool IsCrossing(Call call) =>
        call is { Caller: { } caller, Method: { IsAccessor: false } method }
        && ((caller.IsIn("Requests") && method.IsIn("Connections"))
            || (caller.IsIn("Connections") && method.IsIn("Requests")));

    private async Task<List<Call>> TraceThirdGetAsync()
    {
        var directory = Directory.CreateTempSubdirectory("fcgi-");
        var socket = Path.Combine(directory.FullName, "app.sock");
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        UseFastCgi(builder.WebHost);
        await using var application = builder.Build();
        application.Urls.Add($"fastcgi://unix:{socket}");
        application.Run(AnswerAsync);
        await application.StartAsync(TestContext.Current.CancellationToken).Within("the start of the server");
        List<Call> calls;
        var endPoint = new UnixDomainSocketEndPoint(socket);
        await using (var peer = await ScriptedPeer.ConnectAsync(endPoint))
        {
            await GetAsync(peer);
            await GetAsync(peer);
            using (new StillMonitor(_server.Ticking))
            {
                await GetAsync(peer);
            }

            calls = Calls(Trail.End());
        }

        await application.StopAsync(TestContext.Current.CancellationToken).Within("the stop of the server");
        directory.Delete(recursive: true);
        return calls;
    }

    /// <summary>One GET. Complete when its thread waits again, so the request is in its pool.</summary>
    private async Task GetAsync(ScriptedPeer peer)
    {
        Trail.Begin();
        await peer.RoundTripAsync(new RequestScript());
        Assert.True(
            SpinWait.SpinUntil(() => Trail.LastStep() is >= 0 and var step && _server[step].IsWait, Deadline.Default),
            "The thread that served the request did not go back to its wait.");
    }

    private static Task AnswerAsync(HttpContext context)
    {
        context.Response.ContentType = "text/plain";
        context.Response.ContentLength = 5;
        var written = context.Response.Body.WriteAsync("small"u8.ToArray()).AsTask();
        Trail.Enter(Trail.Application);
        return written;
    }

    /// <summary>Each method that the thread of the application entered, and the one that called it.</summary>
    private List<Call> Calls(IReadOnlyList<(int Thread, int Method)> steps)
    {
        var thread = steps.Single(static step => step.Method == Trail.Application).Thread;
        var calls = new List<Call>();
        var callers = new Stack<TracedMethod>();
        foreach (var (_, method) in steps.Where(step => step.Thread == thread))
        {
            switch (method)
            {
                case Trail.Application:
                    calls.Add(new Call(null, null));
                    break;
                case Trail.Left:
                    callers.TryPop(out _);
                    break;
                default:
                    calls.Add(new Call(callers.TryPeek(out var caller) ? caller : null, _server[method]));
                    callers.Push(_server[method]);
                    break;
            }
        }

        return calls;
    }

    /// <summary><c>builder.UseFastCgi()</c> of the instrumented server.</summary>
    private void UseFastCgi(IWebHostBuilder builder) => _server.Server
        .GetType("Microsoft.AspNetCore.Hosting.FastCgiWebHostBuilderExtensions", throwOnError: true)!
        .GetMethod("UseFastCgi", BindingFlags.Public | BindingFlags.Static, [typeof(IWebHostBuilder)])!
        .Invoke(null, [builder]);

    /// <param name="Caller">Null where the framework or a thread begins.</param>
    /// <param name="Method">Null for the application.</param>
    private sealed record Call(TracedMethod? Caller, TracedMethod? Method);
}
