using System.Globalization;
using System.Runtime.CompilerServices;
using FastCgi.FuzzTests.Harness;
using FastCgi.FuzzTests.Memory.Stepping;
using FastCgi.FuzzTests.Memory.Talks;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Memory.Serving;

/// <summary>Does what the script of each request says, and looks at everything that it is given.</summary>
internal sealed class MemoryApplication(StepScheduler scheduler, List<Script> scripts) : IHttpApplication<MemoryContext>
{
    /// <summary>Requests that are in the application.</summary>
    public int Running { get; private set; }

    /// <summary>Contexts that were made and not disposed.</summary>
    public int Contexts { get; private set; }

    /// <summary>What is wrong, whosever request it was.</summary>
    public string? Error { get; private set; }

    public MemoryContext CreateContext(IFeatureCollection contextFeatures)
    {
        Contexts++;
        return new MemoryContext(
            new DefaultHttpContext(contextFeatures),
            Find(contextFeatures.Get<IHttpRequestFeature>()!.RawTarget));
    }

    public Task ProcessRequestAsync(MemoryContext context)
    {
        if (context.Script is { } script)
        {
            script.Sightings++;
            return ServeAsync(context.Http, script);
        }

        context.Http.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    public void DisposeContext(MemoryContext context, Exception? exception)
    {
        Contexts--;
        if (context.Script is { } script && exception is not PlannedException)
        {
            script.Failure ??= exception;
        }

        Look(context.Script);
    }

    /// <summary>Code of the user may run here, and another thread may come in between.</summary>
    private void Look(Script? script, [CallerMemberName] string where = "")
    {
        if (scheduler.HoldsLock)
        {
            Error ??= $"code of the user runs under a lock of the server: {script}";
        }

        scheduler.Trace.Tell(script?.Talk.Number ?? -1, $"application, request {script?.Number:x}", where: where);
        scheduler.MayPreempt();
    }

    private Script? Find(string target) =>
        target.Length == 17
        && int.TryParse(target.AsSpan(1, 8), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var number)
        && uint.TryParse(target.AsSpan(9), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var nonce)
        && number >= 0 && number < scripts.Count && scripts[number].Nonce == nonce
            ? scripts[number]
            : null;

    private async Task ServeAsync(HttpContext context, Script script)
    {
        using var visit = new Visit(this);
        Look(script);
        if (script.IsUpgrade && context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true } upgrade)
        {
            context.Response.Headers["X-Token"] = $"{script.Number:x8}{script.Nonce:x8}";
            using var stream = await upgrade.UpgradeAsync();
            await BodyReader.EchoAsync(stream, stream, script, scheduler);
            return;
        }

        if (script.Keeps)
        {
            // A few of them each time: most of them throw, and exceptions are what costs.
            var kept = new KeptObjects(
                context, async () => await new Hop(scheduler), complaint => script.Complain($"{complaint}: {script}"));
            kept.UseLater((int)(script.Nonce >> 4) % KeptObjects.Uses, count: 5);
        }

        if (script.Fails == Failing.InResponseSelector)
        {
            context.Response.Headers["X-Fails"] = "é";
        }

        if (script.Fails == Failing.BeforeStart)
        {
            throw new PlannedException();
        }

        if (script.StartsSlowly && script.Writes != Writing.Forgotten)
        {
            // Beside a write that nobody awaits, two would await the callbacks, and the runtime takes the second one to
            // the thread pool.
            context.Response.OnStarting(async () => await new Hop(scheduler));
        }

        if (script.Fails == Failing.InOnStarting)
        {
            context.Response.OnStarting(() => throw new PlannedException());
        }
        else if (script.Fails == Failing.InOnCompleted)
        {
            context.Response.OnCompleted(() => throw new PlannedException());
        }

        if (script.StartsByCallback && script.Writes != Writing.Forgotten)
        {
            context.Response.OnStarting(() => context.Response.StartAsync());
        }

        if (script.Hops)
        {
            await new Hop(scheduler);
            Look(script);
        }

        if (script.Reads != Reading.Echo)
        {
            await new BodyReader(context, script, scheduler).ReadAsync();
        }

        if (context.Response.HasStarted)
        {
            Error ??= $"the response has started by itself: {script}";
        }

        context.Response.Headers["X-Token"] = $"{script.Number:x8}{script.Nonce:x8}";
        if ((script.Nonce & 3) == 0 && script.Reads != Reading.Echo)
        {
            context.Response.ContentLength = script.Filler;
        }

        if (script.Reads == Reading.Echo)
        {
            await BodyReader.EchoAsync(context.Request.Body, context.Response.Body, script, scheduler);
        }

        if (script.Hops)
        {
            await new Hop(scheduler);
        }

        await new AnswerWriter(context, script, scheduler).WriteAsync();
        Look(script);
        switch (script.Fails)
        {
            case Failing.AfterStart:
                throw new PlannedException();
            case Failing.Abort:
                context.Abort();
                break;
        }
    }

    /// <summary>The time that a request is in the application.</summary>
    private readonly struct Visit : IDisposable
    {
        private readonly MemoryApplication _application;

        public Visit(MemoryApplication application)
        {
            _application = application;
            application.Running++;
        }

        public void Dispose() => _application.Running--;
    }
}
