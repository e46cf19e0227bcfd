using System.Data.Common;
using System.Globalization;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using Npgsql;

namespace CrudApiSample.Databases;

/// <summary>PostgreSQL through Npgsql, which pools connections and prepares what comes again.</summary>
internal sealed class PostgreSqlDatabase : Database
{
    private const int PreparedStatements = 100;

    private const string Iso = "yyyy-MM-ddTHH:mm:ss.FFFFFFF";

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

    // Parameters without a name are numbered, which needs no rewriting.
    protected override Session CreateSession() => new(_source.CreateConnection(), parameterName: null);

    protected override string CatalogueQuery => PostgreSqlCatalogue.Columns;

    protected override Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey) =>
        PostgreSqlCatalogue.ReadColumn(reader, out isReadOnly, out isKey);

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

    public override object ToParameter(Column column, object value) =>
        column.Kind == ColumnKind.Instant ? $"{FormatTime(value)}Z" : FormatTime(value);

    protected override JsonNode? ReadValue(DbDataReader reader, int ordinal, Column column) => column.Kind switch
    {
        ColumnKind.WholeNumber => reader.GetInt64(ordinal),
        ColumnKind.FloatingNumber when column.Type == "real" => ReadNumber(reader.GetFloat(ordinal)),
        ColumnKind.FloatingNumber => ReadNumber(reader.GetDouble(ordinal)),
        ColumnKind.Boolean => reader.GetBoolean(ordinal),
        ColumnKind.DateTime => reader.GetDateTime(ordinal).ToString(Iso, CultureInfo.InvariantCulture),
        ColumnKind.Instant => reader.GetDateTime(ordinal).ToString($"{Iso}Z", CultureInfo.InvariantCulture),
        ColumnKind.Uuid => reader.GetGuid(ordinal).ToString(),
        ColumnKind.Binary => Convert.ToBase64String(reader.GetFieldValue<byte[]>(ordinal)),
        ColumnKind.Json => ReadJson(reader.GetString(ordinal)),
        _ => reader.GetString(ordinal),
    };

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
