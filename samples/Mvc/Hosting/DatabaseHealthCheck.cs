using Microsoft.Extensions.Diagnostics.HealthChecks;
using MvcSample.Data;

namespace MvcSample.Hosting;

/// <summary>Healthy while the database can be opened.</summary>
internal sealed class DatabaseHealthCheck(NotesContext notes) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken)
        => await notes.Database.CanConnectAsync(cancellationToken)
            ? HealthCheckResult.Healthy()
            : HealthCheckResult.Unhealthy("The database cannot be opened.");
}
