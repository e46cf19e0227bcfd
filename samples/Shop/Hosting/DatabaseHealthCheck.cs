using System.Data.Common;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using ShopSample.Data;

namespace ShopSample.Hosting;

/// <summary>Healthy while the database answers.</summary>
internal sealed class DatabaseHealthCheck(ShopDatabase database) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken)
    {
        try
        {
            await using var connection = await database.OpenAsync(cancellationToken);
            await using var command = connection.CreateCommand("SELECT 1");
            await command.ExecuteScalarAsync(cancellationToken);
            return HealthCheckResult.Healthy();
        }
        catch (DbException problem)
        {
            return HealthCheckResult.Unhealthy("The database does not answer.", problem);
        }
    }
}
