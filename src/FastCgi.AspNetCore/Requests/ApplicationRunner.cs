using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Runs the application for a request, without the type of the application's context.</summary>
internal abstract class ApplicationRunner
{
    /// <summary>
    /// Creates the context, processes, ends, completes, disposes. Never throws. The caller must not use the request
    /// after the task has completed, because the object may serve another request then.
    /// </summary>
    public abstract Task RunAsync(FastCgiRequest request);
}

/// <summary>All steps of a request: create the context, process, end the response, OnCompleted, dispose.</summary>
/// <remarks>
/// One async method, so that the AsyncLocals that hosting sets (and a culture that the application sets) end with the
/// request: an async method restores the execution context of its caller when it first returns.
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

                    // Before OnCompleted runs and the rest of the upload is drained, so that neither delays the answer.
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

/// <summary>Serves an endpoint without an application: the server answers each request with its own pages.</summary>
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
