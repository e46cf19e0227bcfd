using Microsoft.Extensions.Hosting;

namespace FastCgi.Tool.Serving;

/// <summary>Leaves Ctrl+C and SIGTERM to the command line, which cancels the command.</summary>
internal sealed class CommandLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
