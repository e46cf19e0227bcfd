using System.Data.Common;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;

namespace CrudApiSample.Hosting;

/// <summary>
/// Reads the catalogue before the server takes requests: a database that is not there ends the start.
/// </summary>
internal sealed class CatalogueSetup(CatalogueCache catalogues, Database database) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await catalogues.LoadAsync(cancellationToken);
        }
        catch (DbException e)
        {
            throw new InvalidOperationException($"The {database.Name} database cannot be read: {e.Message}", e);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
