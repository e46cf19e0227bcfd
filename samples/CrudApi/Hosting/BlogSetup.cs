using Microsoft.Data.Sqlite;

namespace CrudApiSample.Hosting;

/// <summary>Makes the blog, with its first records, where there is none.</summary>
internal sealed class BlogSetup(string file) : IHostedService
{
    private static readonly string[] _scripts = ["sqlite.sql", "records.sql"];

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        if (File.Exists(file))
        {
            return;
        }

        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        // Under another name until it is whole.
        var unfinished = $"{file}.{Guid.NewGuid():N}";
        var source = new SqliteConnectionStringBuilder { DataSource = unfinished, Pooling = false };
        await using (var connection = new SqliteConnection(source.ToString()))
        {
            await connection.OpenAsync(cancellationToken);
            await using var command = connection.CreateCommand();
            foreach (var script in _scripts)
            {
#pragma warning disable CA2100 // A resource of this assembly
                command.CommandText = await ReadAsync(script, cancellationToken);
#pragma warning restore CA2100
                await command.ExecuteNonQueryAsync(cancellationToken);
            }

            // Readers and the writer do not wait for each other; the file remembers it.
            command.CommandText = "PRAGMA journal_mode = WAL";
            await command.ExecuteNonQueryAsync(cancellationToken);
        }

        File.Move(unfinished, file);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private static async Task<string> ReadAsync(string script, CancellationToken cancellationToken)
    {
        await using var resource = typeof(BlogSetup).Assembly.GetManifestResourceStream(script)!;
        using var reader = new StreamReader(resource);
        return await reader.ReadToEndAsync(cancellationToken);
    }
}
