using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The ladder of one request: create the context, process, end the response, run OnCompleted, dispose.
/// </summary>
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
                        request.ReportError(exception);
                    }

                    // The client gets its answer before OnCompleted runs and before what is left of the upload is
                    // drained.
                    await request.StartAtEndAsync().ConfigureAwait(false);
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
