using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Runs the application for a request, without the type of the application's context.</summary>
internal abstract class ApplicationRunner
{
    /// <summary>
    /// Create, process, end, complete, dispose: never throws, and the request must not be touched after it has
    /// completed, since it may serve somebody else by then.
    /// </summary>
    public abstract Task RunAsync(FastCgiRequest request);
}

/// <summary>The ladder of one request: create the context, process, end the response, OnCompleted, dispose.</summary>
/// <remarks>
/// It is one async method so that what hosting writes into AsyncLocals (and a culture that the application sets) ends
/// with the request: an async method puts the execution context of its caller back when it returns. It does so once.
/// </remarks>
internal sealed class ApplicationRunner<TContext>(IHttpApplication<TContext> application) : ApplicationRunner
    where TContext : notnull
{
    public override async Task RunAsync(FastCgiRequest request)
    {
        try
        {
            if (request.TryEnter())
            {
                request.WriteStartEvent();
                TContext? context = default;
                bool hasContext = false;
                try
                {
                    try
                    {
                        context = application.CreateContext(request.Features);
                        hasContext = true;
                        // 12. Process: the application runs.
                        await application.ProcessRequestAsync(context).ConfigureAwait(false);
                    }
                    catch (Exception exception)
                    {
                        request.Response.ReportError(exception);
                    }

                    // The client gets its answer before OnCompleted runs and before what is left of the upload is
                    // drained.
                    await request.Response.EnsureStartedAsync().ConfigureAwait(false);
                    request.End();
                    // 19. Complete: the client has its answer.
                    await (hasContext ? request.Features.FireOnCompletedAsync() : Task.CompletedTask)
                        .ConfigureAwait(false);
                }
                finally
                {
                    request.WriteStopEvent();
                    if (hasContext)
                    {
                        application.DisposeContext(context!, request.ApplicationError);
                    }
                }
            }
            else
            {
                request.EndRejected();
            }
        }
        catch (Exception exception)
        {
            request.OnServerError(exception);
        }

        request.OnApplicationDone();
    }
}

/// <summary>For an endpoint without an application: the server answers every request by a page of its own.</summary>
internal sealed class PageRunner : ApplicationRunner
{
    public override Task RunAsync(FastCgiRequest request)
    {
        try
        {
            request.EndRejected();
        }
        catch (Exception exception)
        {
            request.OnServerError(exception);
        }

        request.OnApplicationDone();
        return Task.CompletedTask;
    }
}
