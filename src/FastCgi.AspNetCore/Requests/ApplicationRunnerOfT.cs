using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The ladder of one request: create the context, process, end the response, run OnCompleted, dispose.
/// </summary>
/// <remarks>
/// It is one async method so that what hosting writes into AsyncLocals (and a culture that the application sets) ends
/// with the request: an async method puts the execution context of its caller back when it returns.
/// </remarks>
internal sealed class ApplicationRunner<TContext>(IHttpApplication<TContext> application) : ApplicationRunner
    where TContext : notnull
{
    public override async Task RunAsync(IRunningRequest request)
    {
        try
        {
            if (request.TryEnter())
            {
                await ProcessAsync(request).ConfigureAwait(false);
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

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ProcessAsync(IRunningRequest request)
    {
        TContext context;
        RequestEvents.Start(request);
        try
        {
            context = application.CreateContext(request.Features);
        }
        catch (Exception exception)
        {
            request.ReportError(exception);
            await request.EndAsync().ConfigureAwait(false);
            RequestEvents.Stop(request);
            return;
        }

        try
        {
            // 12. Process: the application runs.
            await application.ProcessRequestAsync(context).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            request.ReportError(exception);
        }

        try
        {
            // The client gets its answer before OnCompleted runs and before what is left of the upload is drained.
            await request.EndAsync().ConfigureAwait(false);
            // 19. Complete: the client has its answer.
            await request.Features.FireOnCompletedAsync().ConfigureAwait(false);
        }
        finally
        {
            RequestEvents.Stop(request);
            application.DisposeContext(context, request.ApplicationError);
        }
    }
}
