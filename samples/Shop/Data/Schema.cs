using System.Data.Common;

namespace ShopSample.Data;

/// <summary>The tables. Amounts are in cents; times are UTC, written as ISO 8601.</summary>
internal static class Schema
{
    public const int NameLength = 80;
    public const int EmailLength = 120;
    public const int StreetLength = 120;
    public const int PostcodeLength = 11;
    public const int CityLength = 80;
    public const int NoteLength = 300;

    private static readonly string[] _tables =
    [
        """
        CREATE TABLE IF NOT EXISTS items (
            id INTEGER NOT NULL PRIMARY KEY,
            slug VARCHAR(60) NOT NULL UNIQUE,
            category VARCHAR(20) NOT NULL,
            name VARCHAR(80) NOT NULL,
            summary VARCHAR(120) NOT NULL,
            description VARCHAR(600) NOT NULL,
            search_text VARCHAR(900) NOT NULL,
            price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
            stock INTEGER NOT NULL CHECK (stock >= 0))
        """,
        $"""
        CREATE TABLE IF NOT EXISTS orders (
            number CHAR(16) NOT NULL PRIMARY KEY,
            placed_at CHAR(20) NOT NULL,
            name VARCHAR({NameLength}) NOT NULL,
            email VARCHAR({EmailLength}) NOT NULL,
            street VARCHAR({StreetLength}) NOT NULL,
            postcode VARCHAR({PostcodeLength}) NOT NULL,
            city VARCHAR({CityLength}) NOT NULL,
            country VARCHAR(40) NOT NULL,
            note VARCHAR({NoteLength}) NOT NULL,
            delivery_cents INTEGER NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS order_lines (
            order_number CHAR(16) NOT NULL REFERENCES orders (number),
            item_id INTEGER NOT NULL REFERENCES items (id),
            name VARCHAR(80) NOT NULL,
            price_cents INTEGER NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            PRIMARY KEY (order_number, item_id))
        """,
        """
        CREATE TABLE IF NOT EXISTS protection_keys (
            name VARCHAR(80) NOT NULL PRIMARY KEY,
            xml TEXT NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS baskets (
            id CHAR(32) NOT NULL PRIMARY KEY,
            changed_at CHAR(20) NOT NULL,
            quantities VARCHAR(2000) NOT NULL,
            draft TEXT NOT NULL)
        """,
    ];

    /// <summary>Until <see cref="UnlockAsync"/>, no other host makes the tables or fills them.</summary>
    public static Task LockAsync(DbConnection connection, DatabaseKind kind) =>
        ChangeLockAsync(connection, kind, "pg_advisory_lock(7467)", "GET_LOCK('shop', 60)");

    /// <summary>Gives the lock back: a pool may keep the connection open.</summary>
    public static Task UnlockAsync(DbConnection connection, DatabaseKind kind) =>
        ChangeLockAsync(connection, kind, "pg_advisory_unlock(7467)", "RELEASE_LOCK('shop')");

    public static async Task CreateAsync(DbConnection connection, DatabaseKind kind)
    {
        if (kind == DatabaseKind.Sqlite)
        {
            // Readers go on while an order is written.
            await ExecuteAsync(connection, "PRAGMA journal_mode = WAL");
        }

        // What MariaDB stores text in is otherwise up to its configuration.
        var options = kind == DatabaseKind.MariaDb ? " CHARACTER SET utf8mb4" : "";
        foreach (var table in _tables)
        {
            await ExecuteAsync(connection, table + options);
        }
    }

    /// <summary>SQLite needs none: its file belongs to one host.</summary>
    private static Task ChangeLockAsync(
        DbConnection connection, DatabaseKind kind, string inPostgreSql, string inMariaDb) => kind switch
        {
            DatabaseKind.PostgreSql => ExecuteAsync(connection, $"SELECT {inPostgreSql}"),
            DatabaseKind.MariaDb => ExecuteAsync(connection, $"DO {inMariaDb}"),
            _ => Task.CompletedTask,
        };

    private static async Task ExecuteAsync(DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }
}
