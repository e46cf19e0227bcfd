using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Application;

/// <summary>Does what the script of each request says, and looks at everything that it is given.</summary>
/// <param name="hasSelectors">The server has encoding selectors, which some scripts let fail.</param>
internal sealed class FuzzApplication(IThreads threads, Targets targets, bool hasSelectors)
{
    private int _running;
    private string? _error;

    /// <summary>Requests that are in the application.</summary>
    public int Running => Volatile.Read(ref _running);

    /// <summary>What is wrong, whosever request it was.</summary>
    public string? Error => Volatile.Read(ref _error);

    public Script? Find(IFeatureCollection features) => targets.Find(features.Get<IHttpRequestFeature>()!.RawTarget);

    public Task RunAsync(HttpContext context) => RunAsync(context, Find(context.Features));

    public Task RunAsync(HttpContext context, Script? script)
    {
        if (script is not null)
        {
            script.Sight();
            return ServeAsync(context, script);
        }

        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    /// <summary>Code of the user may run here, and another thread may come in between.</summary>
    public void Look(Script? script, [CallerMemberName] string where = "")
    {
        if (threads.OnUserCode(script, where) is { } error)
        {
            Complain(error);
        }
    }

    private void Complain(string error) => Interlocked.CompareExchange(ref _error, error, null);

    private async Task ServeAsync(HttpContext context, Script script)
    {
        using var visit = new Visit(this);
        Look(script);
        if (script.IsUpgrade && context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true } upgrade)
        {
            context.Response.Headers["X-Token"] = script.Token;
            using var stream = await upgrade.UpgradeAsync();
            await BodyReader.EchoAsync(stream, stream, script, threads);
            return;
        }

        if (script.Conversation.IsClean && context.Request.Method != script.Method)
        {
            script.Complain($"the method is {context.Request.Method}: {script}");
        }

        if (script.KeptUses > 0)
        {
            var kept = new KeptObjects(
                context, async () => await new Hop(threads), complaint => script.Complain($"{complaint}: {script}"));
            kept.UseLater((int)(script.Nonce >> 4), script.KeptUses);
        }

        if (script.Fails == Failing.InResponseSelector && hasSelectors)
        {
            context.Response.Headers["X-Fails"] = "é";
        }

        if (script.Fails == Failing.BeforeStart)
        {
            throw new PlannedException();
        }

        AddCallbacks(context, script);
        if (script.Hops)
        {
            await new Hop(threads);
            Look(script);
        }

        var body = new BodyReader(context, script, threads);
        if (script.Reads != Reading.Echo)
        {
            await body.ReadAsync();
        }

        if (context.Response.HasStarted)
        {
            Complain($"the response has started by itself: {script}");
        }

        context.Response.Headers["X-Token"] = script.Token;
        if (script.Reads == Reading.Echo)
        {
            await BodyReader.EchoAsync(context.Request.Body, context.Response.Body, script, threads);
        }
        else
        {
            // Of two writes that nobody awaits, none may count yet when the handler returns.
            if ((script.Nonce & 3) == 0 && script.Writes != Writing.Forgotten)
            {
                context.Response.ContentLength = script.Filler;
            }

            if (body.Mark is { } mark)
            {
                context.Response.Headers["X-Body"] = mark;
            }
        }

        if (script.Hops)
        {
            await new Hop(threads);
        }

        await new AnswerWriter(context, script, threads).WriteAsync();
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

    private void AddCallbacks(HttpContext context, Script script)
    {
        if (script.StartsSlowly && script.Writes != Writing.Forgotten)
        {
            // Beside a write that nobody awaits, two would await the callbacks, and the runtime takes the second one to
            // the thread pool.
            context.Response.OnStarting(async () => await new Hop(threads));
        }

        if (script.Fails == Failing.InOnStarting)
        {
            context.Response.OnStarting(static () => throw new PlannedException());
        }
        else if (script.Fails == Failing.InOnCompleted)
        {
            context.Response.OnCompleted(static () => throw new PlannedException());
        }

        if (script.StartsByCallback && script.Writes != Writing.Forgotten)
        {
            context.Response.OnStarting(() => context.Response.StartAsync());
        }
    }

    /// <summary>The time that a request is in the application.</summary>
    private readonly struct Visit : IDisposable
    {
        private readonly FuzzApplication _application;

        public Visit(FuzzApplication application)
        {
            _application = application;
            Interlocked.Increment(ref application._running);
        }

        public void Dispose() => Interlocked.Decrement(ref _application._running);
    }
}

/// <summary>The application fails because its script says so.</summary>
internal sealed class PlannedException() : Exception("The script says so.");
