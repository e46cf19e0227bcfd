using Microsoft.AspNetCore.Components.Server.Circuits;

namespace CounterSample.Live;

/// <summary>Counts the connections, not the circuits: those outlive a connection that broke.</summary>
internal sealed class OpenPageCounter(OpenPages pages) : CircuitHandler
{
    public override Task OnConnectionUpAsync(Circuit circuit, CancellationToken cancellationToken)
    {
        pages.Opened();
        return Task.CompletedTask;
    }

    public override Task OnConnectionDownAsync(Circuit circuit, CancellationToken cancellationToken)
    {
        pages.Closed();
        return Task.CompletedTask;
    }
}
