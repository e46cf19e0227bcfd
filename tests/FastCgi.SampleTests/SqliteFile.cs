using Microsoft.Data.Sqlite;

namespace FastCgi.SampleTests;

/// <summary>A database in a file, which nothing holds open between two uses.</summary>
internal static class SqliteFile
{
    public static string ConnectionString(string path) => $"Data Source={path};Pooling=False";

    /// <summary>Makes the file where it is missing.</summary>
    public static async Task ExecuteAsync(string path, string sql)
    {
        await using var connection = new SqliteConnection(ConnectionString(path));
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }
}
