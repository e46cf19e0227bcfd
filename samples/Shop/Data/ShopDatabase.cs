using System.Data.Common;
using Microsoft.Data.Sqlite;
using MySql.Data.MySqlClient;
using Npgsql;
using ShopSample.Hosting;

namespace ShopSample.Data;

/// <summary>The database that the settings name. The statements are the same for every kind.</summary>
public sealed class ShopDatabase : IAsyncDisposable
{
    private readonly DbDataSource _source;
    private readonly DatabaseKind _kind;

    private ShopDatabase(DatabaseKind kind, DbDataSource source)
    {
        _kind = kind;
        _source = source;
    }

    /// <exception cref="SetupException">Its kind is unknown, or the connection string missing or malformed.</exception>
    public static ShopDatabase Create(IConfiguration configuration, DataDirectory data)
    {
        var setting = configuration["Database:Kind"] ?? nameof(DatabaseKind.Sqlite);
        if (!Enum.TryParse<DatabaseKind>(setting, ignoreCase: true, out var kind) || !Enum.IsDefined(kind))
        {
            throw new SetupException(
                $"there is no kind of database '{setting}'. --Database:Kind is sqlite, postgresql or mariadb.");
        }

        var connection = configuration.GetConnectionString("Database");
        if (string.IsNullOrEmpty(connection))
        {
            connection = kind == DatabaseKind.Sqlite
                ? new SqliteConnectionStringBuilder { DataSource = data.DatabaseFile }.ToString()
                : throw new SetupException($"{kind} needs a connection string: --ConnectionStrings:Database.");
        }

        try
        {
            return new ShopDatabase(kind, CreateSource(kind, connection));
        }
        catch (Exception problem) when (problem is ArgumentException or FormatException or DbException)
        {
            throw new SetupException($"the connection string is malformed: {problem.Message}", problem);
        }
    }

    /// <summary>Other hosts can use it too.</summary>
    public bool IsServer => _kind != DatabaseKind.Sqlite;

    public ValueTask<DbConnection> OpenAsync(CancellationToken cancellationToken) =>
        _source.OpenConnectionAsync(cancellationToken);

    /// <summary>For the keys, which the framework reads and writes without awaiting.</summary>
    public DbConnection Open() => _source.OpenConnection();

    /// <summary>Makes the tables and fills them where they are missing, before the server takes requests.</summary>
    /// <exception cref="SetupException">The database cannot be opened or written to.</exception>
    public async Task PrepareAsync()
    {
        try
        {
            await using var connection = await _source.OpenConnectionAsync();
            await Schema.LockAsync(connection, _kind);
            await Schema.CreateAsync(connection, _kind);
            await Seed.FillAsync(connection);
            await Schema.UnlockAsync(connection, _kind);
        }
        catch (DbException problem)
        {
            throw new SetupException($"the {_kind} database cannot be used: {problem.Message}", problem);
        }
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private static DbDataSource CreateSource(DatabaseKind kind, string connection) => kind switch
    {
        DatabaseKind.PostgreSql => NpgsqlDataSource.Create(connection),
        DatabaseKind.MariaDb => MySqlClientFactory.Instance.CreateDataSource(InFullUnicode(connection)),
        // Read here, so that a mistake in it shows now and not with the first connection.
        _ => SqliteFactory.Instance.CreateDataSource(new SqliteConnectionStringBuilder(connection).ToString()),
    };

    /// <summary>By itself this driver talks a UTF-8 of three bytes to MariaDB, which loses emoji.</summary>
    private static string InFullUnicode(string connection) =>
        new MySqlConnectionStringBuilder(connection) { CharacterSet = "utf8mb4" }.ToString();
}
