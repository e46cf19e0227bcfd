using CrudApiSample.Databases;
using Microsoft.Data.Sqlite;

namespace CrudApiSample.Hosting;

/// <summary>Which database the configuration asks for.</summary>
internal static class DatabaseChoice
{
    private const string KindSetting = "Database:Kind";
    private const string ConnectionName = "Database";

    public static void AddDatabase(this IHostApplicationBuilder builder)
    {
        var configuration = builder.Configuration;
        var kind = configuration[KindSetting] ?? "sqlite";
        var connectionString = configuration.GetConnectionString(ConnectionName);
        Database database = kind.ToLowerInvariant() switch
        {
            "sqlite" when connectionString is null => AddBlog(builder),
            "sqlite" => Open(connectionString, text => new SqliteDatabase(text)),
            "postgresql" => Open(connectionString, text => new PostgreSqlDatabase(text)),
            "mariadb" => Open(connectionString, text => new MariaDbDatabase(text)),
            _ => throw new InvalidOperationException(
                $"The setting {KindSetting} is '{kind}', but it has to be sqlite, postgresql or mariadb."),
        };
        // By a factory, because what comes from one is disposed at the end.
        builder.Services.AddSingleton(_ => database);
    }

    /// <summary>The database that comes with the sample, made at the first start.</summary>
    private static SqliteDatabase AddBlog(IHostApplicationBuilder builder)
    {
        var directory = Path.Combine(builder.Environment.ContentRootPath, builder.Configuration["Data"] ?? "App_Data");
        var file = Path.Combine(directory, "blog.db");
        builder.Services.AddHostedService(_ => new BlogSetup(file));
        return new SqliteDatabase(new SqliteConnectionStringBuilder { DataSource = file }.ToString());
    }

    private static Database Open(string? connectionString, Func<string, Database> create)
    {
        const string Setting = $"ConnectionStrings:{ConnectionName}";
        if (string.IsNullOrWhiteSpace(connectionString))
        {
            throw new InvalidOperationException(
                $"The setting {Setting} is missing: it says how to reach the database.");
        }

        try
        {
            return create(connectionString);
        }
        catch (Exception e) when (e is ArgumentException or FormatException or KeyNotFoundException)
        {
            // The text itself may hold a password.
            throw new InvalidOperationException($"The setting {Setting} is no connection string: {e.Message}", e);
        }
    }
}

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
