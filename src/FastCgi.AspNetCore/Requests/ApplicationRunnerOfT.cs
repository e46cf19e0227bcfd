using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The ladder of one request: create the context, process, end the response, run OnCompleted, dispose.</summary>
/// <remarks>
/// It is one async method so that what hosting writes into AsyncLocals (and a culture that the application sets) ends
/// with the request: an async method puts the execution context of its caller back when it returns.
/// </remarks>
internal sealed class ApplicationRunner<TContext>(IHttpApplication<TContext> application, ServerContext server)
    : ApplicationRunner
    where TContext : notnull
{
    public override RequestFeatures CreateFeatures() => 
        new RequestFeatures<TContext>(server.Options.ResponseHeaderEncodingSelector);

    public override async Task RunAsync(FastCgiRequest request)
    {
        try
        {
            if (request.IsRejected)
            {
                request.EndRejected();
            }
            else
            {
                await ProcessAsync(request).ConfigureAwait(false);
            }
        }
        catch (Exception exception)
        {
            request.OnServerError(exception);
        }

        request.OnApplicationDone();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ProcessAsync(FastCgiRequest request)
    {
        TContext context;
        RequestEvents.Start(request);
        try
        {
            context = application.CreateContext(request.Features);
        }
        catch (Exception exception)
        {
            request.ReportApplicationError(exception);
            await request.EndAsync().ConfigureAwait(false);
            RequestEvents.Stop(request);
            return;
        }

        try
        {
            await application.ProcessRequestAsync(context).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            request.ReportApplicationError(exception);
        }

        try
        {
            // The client gets its answer before OnCompleted runs and before what is left of the upload is drained.
            await request.EndAsync().ConfigureAwait(false);
            await request.Features.FireOnCompletedAsync().ConfigureAwait(false);
        }
        finally
        {
            RequestEvents.Stop(request);
            application.DisposeContext(context, request.ApplicationError);
        }
    }
}
