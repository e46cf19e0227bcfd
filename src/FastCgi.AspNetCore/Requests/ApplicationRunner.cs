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
