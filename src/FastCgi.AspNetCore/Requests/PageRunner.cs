namespace FastCgi.AspNetCore.Requests;

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
