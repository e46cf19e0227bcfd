using Microsoft.Data.Sqlite;

namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnSqlite : CrudSite
{
    private readonly WorkDirectory _directory = new();

    protected override string Kind => "sqlite";

    protected override async Task<string> CreateDatabaseAsync()
    {
        var connectionString = $"Data Source={_directory.File("blog.db")};Pooling=False";
        await using var connection = new SqliteConnection(connectionString);
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText =
            BlogScripts.All(
                "sqlite", '"', "INTEGER PRIMARY KEY AUTOINCREMENT", ("DOUBLE PRECISION", "BLOB", "DATETIME"));
        await command.ExecuteNonQueryAsync();
        return connectionString;
    }

    protected override ValueTask DeleteDatabaseAsync()
    {
        _directory.Dispose();
        return ValueTask.CompletedTask;
    }
}
