using System.Data.Common;
using System.Globalization;
using System.Text.Json;
using CrudApiSample.Catalogues;
using Npgsql;

namespace CrudApiSample.Databases;

/// <summary>PostgreSQL through Npgsql, which pools connections and prepares what comes again.</summary>
internal sealed class PostgreSqlDatabase : Database
{
    private const int PreparedStatements = 100;

    private const string UniqueColumns = """
        SELECT a.attname
        FROM pg_catalog.pg_class AS i
        JOIN pg_catalog.pg_index AS x ON x.indexrelid = i.oid
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
        WHERE i.relname = $1 AND i.relnamespace = current_schema()::regnamespace
        ORDER BY a.attnum
        """;

    private readonly NpgsqlDataSource _source;

    /// <exception cref="ArgumentException">It is no connection string.</exception>
    public PostgreSqlDatabase(string connectionString)
    {
        var settings = new NpgsqlConnectionStringBuilder(connectionString);
        // Somebody behind a pooler that cannot keep prepared statements says 0.
        if (!settings.ContainsKey("Max Auto Prepare"))
        {
            settings.MaxAutoPrepare = PreparedStatements;
            settings.AutoPrepareMinUsages = 2;
        }

        _source = NpgsqlDataSource.Create(settings);
    }

    public override string Name => "PostgreSQL";

    public override string Like => "ILIKE";

    public override async ValueTask<Session> OpenAsync(CancellationToken cancellationToken) =>
        // Parameters without a name are numbered, which needs no rewriting.
        new Session(await _source.OpenConnectionAsync(cancellationToken), parameterName: null);

    public override async Task<Catalogue> ReadCatalogueAsync(CancellationToken cancellationToken)
    {
        await using var session = await OpenAsync(cancellationToken);
        return await PostgreSqlCatalogue.ReadAsync(session, cancellationToken);
    }

    public override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    // Where the driver has no type for what was sent, a text does: PostgreSQL parses it. Never with the length of
    // the column's type, which would cut the value off.
    public override string Value(Column column, string parameter) =>
        column.Kind switch
        {
            ColumnKind.Date or ColumnKind.Time or ColumnKind.DateTime or ColumnKind.Instant or ColumnKind.Json
                or ColumnKind.Other => $"CAST(CAST({parameter} AS text) AS {column.Type})",
            // A text too, when it has more digits than a decimal.
            ColumnKind.ExactNumber => $"CAST({parameter} AS numeric)",
            _ => parameter,
        };

    public override string TextOf(Column column) =>
        column.Kind == ColumnKind.Text ? column.Quoted : $"CAST({column.Quoted} AS text)";

    public override object ToParameter(Column column, object value) => value switch
    {
        DateOnly date => date.ToString("O", CultureInfo.InvariantCulture),
        DateTime time => time.ToString(TemporalText.SqlDateTime, CultureInfo.InvariantCulture)
            + (column.Kind == ColumnKind.Instant ? "Z" : ""),
        TimeOnly time => time.ToString(TemporalText.SqlTime, CultureInfo.InvariantCulture),
        _ => value,
    };

    public override void WriteValue(Utf8JsonWriter json, DbDataReader reader, int ordinal, Column column)
    {
        if (reader.IsDBNull(ordinal))
        {
            json.WriteNullValue();
            return;
        }

        switch (column.Kind)
        {
            case ColumnKind.WholeNumber:
                json.WriteNumberValue(reader.GetInt64(ordinal));
                break;
            case ColumnKind.FloatingNumber when column.Type == "real":
                var single = reader.GetFloat(ordinal);
                if (float.IsFinite(single))
                {
                    json.WriteNumberValue(single);
                }
                else
                {
                    JsonNumbers.Write(json, single);
                }

                break;
            case ColumnKind.FloatingNumber:
                JsonNumbers.Write(json, reader.GetDouble(ordinal));
                break;
            case ColumnKind.ExactNumber:
                json.WriteStringValue(reader.GetString(ordinal));
                break;
            case ColumnKind.Boolean:
                json.WriteBooleanValue(reader.GetBoolean(ordinal));
                break;
            case ColumnKind.DateTime or ColumnKind.Instant:
                TemporalText.Write(json, reader.GetDateTime(ordinal), column.Kind == ColumnKind.Instant);
                break;
            case ColumnKind.Uuid:
                json.WriteStringValue(reader.GetGuid(ordinal));
                break;
            case ColumnKind.Binary:
                json.WriteBase64StringValue(reader.GetFieldValue<byte[]>(ordinal));
                break;
            case ColumnKind.Json:
                json.WriteRawValue(reader.GetString(ordinal), skipInputValidation: true);
                break;
            default:
                json.WriteStringValue(reader.GetString(ordinal));
                break;
        }
    }

    // https://www.postgresql.org/docs/current/errcodes-appendix.html
    public override DatabaseFailure Classify(DbException exception) => exception.SqlState switch
    {
        PostgresErrorCodes.UniqueViolation or PostgresErrorCodes.ExclusionViolation => DatabaseFailure.Duplicate,
        PostgresErrorCodes.ForeignKeyViolation or PostgresErrorCodes.RestrictViolation => DatabaseFailure.Reference,
        PostgresErrorCodes.InsufficientPrivilege or PostgresErrorCodes.ReadOnlySqlTransaction => DatabaseFailure.Denied,
        PostgresErrorCodes.UndefinedFunction => DatabaseFailure.Operator,
        // Data exceptions, and what is left of the violated constraints.
        { } state when state.StartsWith("22", StringComparison.Ordinal)
            || state.StartsWith("23", StringComparison.Ordinal) => DatabaseFailure.Value,
        _ when exception.IsTransient || exception is not PostgresException => DatabaseFailure.Unavailable,
        _ => DatabaseFailure.Unknown,
    };

    public override async Task<IReadOnlyList<string>> ReadUniqueColumnsAsync(
        DbException exception, Table table, CancellationToken cancellationToken) =>
        exception is PostgresException { ConstraintName: { } name }
            ? await ReadTextsAsync(new Statement(UniqueColumns, [name]), cancellationToken)
            : [];

    public override async ValueTask DisposeAsync()
    {
        await _source.DisposeAsync();
        await base.DisposeAsync();
    }
}
