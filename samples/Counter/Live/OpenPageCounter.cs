using CounterSample.Hosting;
using Microsoft.AspNetCore.Components.Server.Circuits;

namespace CounterSample.Live;

/// <summary>Counts the connections, not the circuits: those outlive a connection that broke.</summary>
internal sealed class OpenPageCounter(OpenPages pages, ILogger<OpenPageCounter> log) : CircuitHandler
{
    public override Task OnConnectionUpAsync(Circuit circuit, CancellationToken cancellationToken)
    {
        log.PageConnected(pages.Opened());
        return Task.CompletedTask;
    }

    public override Task OnConnectionDownAsync(Circuit circuit, CancellationToken cancellationToken)
    {
        log.PageLeft(pages.Closed());
        return Task.CompletedTask;
    }
}
