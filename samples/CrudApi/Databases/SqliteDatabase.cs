using System.Data.Common;
using System.Globalization;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CrudApiSample.Databases;

/// <summary>SQLite inside this process.</summary>
internal sealed class SqliteDatabase : Database
{
    private readonly SemaphoreSlim _writing = new(1);
    private readonly string _connectionString;

    /// <exception cref="ArgumentException">It is no connection string.</exception>
    public SqliteDatabase(string connectionString) =>
        _connectionString = new SqliteConnectionStringBuilder(connectionString) { ForeignKeys = true }.ToString();

    public override string Name => "SQLite";

    // SQLite lets one connection write; the others of this process wait without holding a thread.
    protected override Session CreateSession() =>
        new(new SqliteConnection(_connectionString), ParameterName) { Writing = _writing };

    protected override string CatalogueQuery => SqliteCatalogue.Columns;

    protected override Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey) =>
        SqliteCatalogue.ReadColumn(reader, out isReadOnly, out isKey);

    public override string Parameter(int number) => ParameterName(number);

    private static string ParameterName(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    // It has no DEFAULT in an UPDATE, but the catalogue has the expression.
    public override string DefaultOf(Column column) => column.Default is null ? "NULL" : $"({column.Default})";

    public override object ToParameter(Column column, object value) => value switch
    {
        decimal number =>
            decimal.IsInteger(number) && Math.Abs(number) <= long.MaxValue ? (long)number : (double)number,
        string digits when column.Kind == ColumnKind.ExactNumber => double.Parse(digits, CultureInfo.InvariantCulture),
        bool flag => flag ? 1L : 0L,
        _ => FormatTime(value),
    };

    /// <summary>By what is stored, since a column of SQLite may hold values of any type.</summary>
    protected override JsonNode? ReadValue(DbDataReader reader, int ordinal, Column column) =>
        reader.GetValue(ordinal) switch
        {
            long or double when column.Kind == ColumnKind.ExactNumber => reader.GetDouble(ordinal)
                .ToString(column.Scale is { } scale ? $"F{scale}" : "R", CultureInfo.InvariantCulture),
            long number when column.Kind == ColumnKind.Boolean && number is 0 or 1 => number == 1,
            long number => number,
            double number => ReadNumber(number),
            string text when column.Kind is ColumnKind.DateTime or ColumnKind.Time => ReadTime(text),
            string text when column.Kind == ColumnKind.Json => ReadJson(text),
            string text => text,
            var bytes => Convert.ToBase64String((byte[])bytes),
        };

    public override DatabaseFailure Classify(DbException exception)
    {
        var failure = (SqliteException)exception;
        return failure.SqliteExtendedErrorCode switch
        {
            raw.SQLITE_CONSTRAINT_UNIQUE or raw.SQLITE_CONSTRAINT_PRIMARYKEY or raw.SQLITE_CONSTRAINT_ROWID =>
                DatabaseFailure.Duplicate,
            raw.SQLITE_CONSTRAINT_FOREIGNKEY => DatabaseFailure.Reference,
            _ => failure.SqliteErrorCode switch
            {
                raw.SQLITE_CONSTRAINT or raw.SQLITE_MISMATCH or raw.SQLITE_TOOBIG => DatabaseFailure.Value,
                raw.SQLITE_READONLY => DatabaseFailure.Denied,
                raw.SQLITE_BUSY or raw.SQLITE_LOCKED or raw.SQLITE_CANTOPEN => DatabaseFailure.Unavailable,
                _ => DatabaseFailure.Unknown,
            },
        };
    }

    // "SQLite Error 19: 'UNIQUE constraint failed: post_tags.post_id, post_tags.tag_id'."
    public override Task<IReadOnlyList<string>> ReadUniqueColumnsAsync(
        DbException exception, Table table, CancellationToken cancellationToken)
    {
        var columns = exception.Message[(exception.Message.LastIndexOf(": ", StringComparison.Ordinal) + 2)..]
            .TrimEnd('.', '\'')
            .Split(", ")
            .Select(name => name.StartsWith($"{table.Name}.", StringComparison.Ordinal)
                ? name[(table.Name.Length + 1)..]
                : name);
        return Task.FromResult<IReadOnlyList<string>>([.. columns]);
    }

    public override ValueTask DisposeAsync()
    {
        using var connection = new SqliteConnection(_connectionString);
        SqliteConnection.ClearPool(connection);
        _writing.Dispose();
        return base.DisposeAsync();
    }
}
