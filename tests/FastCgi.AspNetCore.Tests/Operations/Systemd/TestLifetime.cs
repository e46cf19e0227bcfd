using Microsoft.Extensions.Hosting;

namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

/// <summary>The life of a host that only stops.</summary>
internal sealed class TestLifetime : IHostApplicationLifetime, IDisposable
{
    private readonly CancellationTokenSource _stopping = new();

    public CancellationToken ApplicationStarted => default;

    public CancellationToken ApplicationStopping => _stopping.Token;

    public CancellationToken ApplicationStopped => default;

    public void StopApplication() => _stopping.Cancel();

    public void Dispose() => _stopping.Dispose();
}
