using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Memory;

/// <summary>The application as a server has it without a host, which counts its contexts.</summary>
internal sealed class MemoryApplication(FuzzApplication application) : IHttpApplication<MemoryContext>
{
    /// <summary>Contexts that were made and not disposed.</summary>
    public int Contexts { get; private set; }

    public MemoryContext CreateContext(IFeatureCollection contextFeatures)
    {
        Contexts++;
        return new MemoryContext(new DefaultHttpContext(contextFeatures), application.Find(contextFeatures));
    }

    public Task ProcessRequestAsync(MemoryContext context) => application.RunAsync(context.Http, context.Script);

    public void DisposeContext(MemoryContext context, Exception? exception)
    {
        Contexts--;
        if (context.Script is { } script && exception is not PlannedException)
        {
            script.Failure ??= exception;
        }

        application.Look(context.Script);
    }
}

/// <summary>One request as the application has it.</summary>
internal sealed record MemoryContext(HttpContext Http, Script? Script);
