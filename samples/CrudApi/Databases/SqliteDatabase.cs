using System.Collections.Concurrent;
using System.Data.Common;
using System.Globalization;
using System.Text.Json;
using CrudApiSample.Catalogues;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CrudApiSample.Databases;

/// <summary>SQLite inside this process. Connections are kept with their prepared statements.</summary>
internal sealed class SqliteDatabase : Database
{
    private readonly ConcurrentBag<SqliteSession> _idle = [];
    private readonly SemaphoreSlim _writing = new(1);
    private readonly string _connectionString;

    /// <exception cref="ArgumentException">It is no connection string.</exception>
    public SqliteDatabase(string connectionString) =>
        _connectionString = new SqliteConnectionStringBuilder(connectionString)
        {
            ForeignKeys = true,
            Pooling = false,
        }.ToString();

    public override string Name => "SQLite";

    public override async ValueTask<Session> OpenAsync(CancellationToken cancellationToken)
    {
        if (_idle.TryTake(out var session))
        {
            return session;
        }

        var connection = new SqliteConnection(_connectionString);
        try
        {
            await connection.OpenAsync(cancellationToken);
            return new SqliteSession(connection, this);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// SQLite lets one connection write; the others of this process wait here, without holding a thread.
    /// </summary>
    public Task WaitToWriteAsync(CancellationToken cancellationToken) => _writing.WaitAsync(cancellationToken);

    public void EndWriting() => _writing.Release();

    public void Keep(SqliteSession session) => _idle.Add(session);

    public override async Task<Catalogue> ReadCatalogueAsync(CancellationToken cancellationToken)
    {
        await using var session = await OpenAsync(cancellationToken);
        return await SqliteCatalogue.ReadAsync(session, cancellationToken);
    }

    public override string Parameter(int number) => ParameterName(number);

    public static string ParameterName(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    // It has no DEFAULT in an UPDATE, but the catalogue has the expression.
    public override string DefaultOf(Column column) => column.Default is null ? "NULL" : $"({column.Default})";

    public override object ToParameter(Column column, object value) => value switch
    {
        decimal number =>
            decimal.IsInteger(number) && Math.Abs(number) <= long.MaxValue ? (long)number : (double)number,
        string digits when column.Kind == ColumnKind.ExactNumber => double.Parse(digits, CultureInfo.InvariantCulture),
        bool flag => flag ? 1L : 0L,
        DateOnly date => date.ToString("O", CultureInfo.InvariantCulture),
        DateTime time => time.ToString(TemporalText.SqlDateTime, CultureInfo.InvariantCulture),
        TimeOnly time => time.ToString(TemporalText.SqlTime, CultureInfo.InvariantCulture),
        _ => value,
    };

    /// <summary>By what is stored, since a column of SQLite may hold values of any type.</summary>
    public override void WriteValue(Utf8JsonWriter json, DbDataReader reader, int ordinal, Column column)
    {
        var row = ((SqliteDataReader)reader).Handle!;
        switch (raw.sqlite3_column_type(row, ordinal))
        {
            case raw.SQLITE_NULL:
                json.WriteNullValue();
                break;
            case raw.SQLITE_INTEGER or raw.SQLITE_FLOAT when column.Kind == ColumnKind.ExactNumber:
                var format = column.Scale is { } scale ? $"F{scale}" : "R";
                json.WriteStringValue(
                    raw.sqlite3_column_double(row, ordinal).ToString(format, CultureInfo.InvariantCulture));
                break;
            case raw.SQLITE_INTEGER:
                var number = raw.sqlite3_column_int64(row, ordinal);
                if (column.Kind == ColumnKind.Boolean && number is 0 or 1)
                {
                    json.WriteBooleanValue(number == 1);
                }
                else
                {
                    json.WriteNumberValue(number);
                }

                break;
            case raw.SQLITE_FLOAT:
                JsonNumbers.Write(json, raw.sqlite3_column_double(row, ordinal));
                break;
            case raw.SQLITE_TEXT when column.Kind is ColumnKind.DateTime or ColumnKind.Time:
                TemporalText.Write(json, raw.sqlite3_column_blob(row, ordinal));
                break;
            case raw.SQLITE_TEXT:
                json.WriteStringValue(raw.sqlite3_column_blob(row, ordinal));
                break;
            default:
                json.WriteBase64StringValue(raw.sqlite3_column_blob(row, ordinal));
                break;
        }
    }

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

    public override async ValueTask DisposeAsync()
    {
        while (_idle.TryTake(out var session))
        {
            await session.CloseAsync();
        }

        _writing.Dispose();
        await base.DisposeAsync();
    }
}
