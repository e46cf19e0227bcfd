namespace FastCgi.Benchmarks.Systems;

/// <summary>A target that was just started and has answered nothing yet, and what stands before it.</summary>
internal sealed class SystemSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory;

    private SystemSite(WorkDirectory directory, RunningTarget target, IRoute route, Uri address)
    {
        _directory = directory;
        Target = target;
        Route = route;
        Address = address;
    }

    public RunningTarget Target { get; }

    public IRoute Route { get; }

    public Uri Address { get; }

    /// <exception cref="InvalidOperationException">It does not start.</exception>
    public static async Task<SystemSite> StartAsync(Target target, SystemCase table)
    {
        var directory = new WorkDirectory();
        RunningTarget? running = null;
        try
        {
            running = await RunningTarget.StartAsync(
                target, directory.Path, table.Connections, table.Processes, table.IsTcp || target.IsAlone);
            IFrontEnd front = target.IsAlone
                ? new NoFrontEnd()
                : await Nginx.StartAsync([running], directory.Path, table.KeepsConnections, table.Connections);
            return new SystemSite(
                directory, running, new HttpRoute(front, new ApacheBench(directory.Path)), front.AddressOf(running));
        }
        catch
        {
            if (running is not null)
            {
                await running.DisposeAsync();
            }

            directory.Dispose();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Route.DisposeAsync();
        await Target.DisposeAsync();
        _directory.Dispose();
    }
}
