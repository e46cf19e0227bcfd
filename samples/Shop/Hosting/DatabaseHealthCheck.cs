using System.Data.Common;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using ShopSample.Data;

namespace ShopSample.Hosting;

/// <summary>Healthy while the database answers and has the shop's tables.</summary>
internal sealed class DatabaseHealthCheck(ShopDatabase database) : IHealthCheck
{
    private static readonly string[] _looks =
    [
        "SELECT id FROM items WHERE id = 0", "SELECT number FROM orders WHERE number = ''",
        "SELECT item_id FROM order_lines WHERE order_number = ''", "SELECT id FROM baskets WHERE id = ''",
    ];

    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken)
    {
        try
        {
            await using var connection = await database.OpenAsync(cancellationToken);
            foreach (var look in _looks)
            {
                await using var command = connection.CreateCommand(look);
                await command.ExecuteScalarAsync(cancellationToken);
            }

            return HealthCheckResult.Healthy();
        }
        catch (DbException problem)
        {
            return HealthCheckResult.Unhealthy("The database does not answer, or lacks a table.", problem);
        }
    }
}
