using System.Data.Common;
using System.Globalization;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using CrudApiSample.Catalogues;
using MySql.Data.MySqlClient;

namespace CrudApiSample.Databases;

/// <summary>
/// MariaDB through MySql.Data; every statement is prepared by the server, none composed by the driver.
/// </summary>
internal sealed partial class MariaDbDatabase : Database
{
    private const string UniqueColumns = """
        SELECT COLUMN_NAME FROM information_schema.STATISTICS
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = @p1 AND INDEX_NAME = @p2
        ORDER BY SEQ_IN_INDEX
        """;

    // WGS 84, as PHP-CRUD-API has it.
    private const int GeometrySystem = 4326;

    private readonly string _connectionString;

    /// <exception cref="ArgumentException">It is no connection string.</exception>
    public MariaDbDatabase(string connectionString) =>
        _connectionString = new MySqlConnectionStringBuilder(connectionString)
        {
            // By itself the driver talks three-byte UTF-8 to MariaDB and loses emoji.
            CharacterSet = "utf8mb4",
            // Integers as they are: the catalogue knows which are booleans.
            TreatTinyAsBoolean = false,
            // An UPDATE that changes nothing has still found its record.
            UseAffectedRows = false,
            // Closes the prepared statements of the request before, with a reply. The disposal of a command closes its
            // statement without one; as the driver leaves Nagle's algorithm on, the next request would wait 40 ms for
            // the acknowledgement.
            ConnectionReset = true,
        }.ToString();

    public override string Name => "MariaDB";

    public override string NoValues => "() VALUES ()";

    public override async ValueTask<Session> OpenAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await base.OpenAsync(cancellationToken);
        }
        catch (MySqlException e) when (e.Number is 1044 or 1045 or 1226 or 4151)
        {
            // Once the server has refused to reset a connection, the driver closes all of this pool after each use. The
            // next request makes a new pool.
            await ClearPoolAsync();
            throw;
        }
    }

    protected override Session CreateSession() =>
        new(new MySqlConnection(_connectionString), ParameterName) { Prepares = true };

    protected override string CatalogueQuery => MariaDbCatalogue.Columns;

    protected override Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey) =>
        MariaDbCatalogue.ReadColumn(reader, out isReadOnly, out isKey);

    protected override string Quote(string name) => MariaDbCatalogue.Quote(name);

    public override string Parameter(int number) => ParameterName(number);

    // What is no geometry is null to the function. The empty text is refused where a null would be stored.
    public override string Value(Column column, string parameter) =>
        MariaDbCatalogue.IsGeometry(column.Type)
            ? $"COALESCE(ST_GeomFromText({parameter}, {GeometrySystem}), '')"
            : parameter;

    public override string TextOf(Column column) =>
        MariaDbCatalogue.IsGeometry(column.Type) ? column.Selected : column.Quoted;

    // BIT and integers compare with numbers, UUID with texts: parameters need no cast here.
    public override object ToParameter(Column column, object value) => value switch
    {
        bool flag => flag ? 1 : 0,
        Guid id => id.ToString(),
        _ => FormatTime(value),
    };

    protected override JsonNode? ReadValue(DbDataReader reader, int ordinal, Column column) => column.Kind switch
    {
        ColumnKind.WholeNumber when column.Maximum > long.MaxValue => reader.GetFieldValue<ulong>(ordinal),
        ColumnKind.WholeNumber => reader.GetInt64(ordinal),
        ColumnKind.Boolean => reader.GetInt64(ordinal) != 0,
        ColumnKind.FloatingNumber when column.Type == "float" => reader.GetFloat(ordinal),
        ColumnKind.FloatingNumber => reader.GetDouble(ordinal),
        ColumnKind.DateTime or ColumnKind.Time => ReadTime(reader.GetString(ordinal)),
        ColumnKind.Binary => Convert.ToBase64String((byte[])reader.GetValue(ordinal)),
        ColumnKind.Json => ReadJson(reader.GetString(ordinal)),
        _ => reader.GetString(ordinal),
    };

    // https://mariadb.com/docs/server/reference/error-codes
    public override DatabaseFailure Classify(DbException exception) => ((MySqlException)exception).Number switch
    {
        1062 or 1169 or 1586 => DatabaseFailure.Duplicate,
        1216 or 1217 or 1451 or 1452 => DatabaseFailure.Reference,
        1044 or 1045 or 1142 or 1143 or 1290 or 1792 or 4151 => DatabaseFailure.Denied,
        1040 or 1042 or 1152 or 1158 or 1159 or 1160 or 1161 or 1203 or 1205 or 1213 or 1226 or 1461 or 2002 or
            2003 or 2006 or 2013 =>
            DatabaseFailure.Unavailable,
        1048 or 1264 or 1265 or 1292 or 1364 or 1366 or 1367 or 1406 or 1411 or 1416 or 1690 or 1906 or 3819 or 4025 =>
            DatabaseFailure.Value,
        // The driver's own: it could not connect, or lost the connection.
        0 => DatabaseFailure.Unavailable,
        _ => DatabaseFailure.Unknown,
    };

    public override async Task<IReadOnlyList<string>> ReadUniqueColumnsAsync(
        DbException exception, Table table, CancellationToken cancellationToken) =>
        DuplicateKey().Match(exception.Message) is { Success: true } match
            ? await ReadTextsAsync(
                new Statement(UniqueColumns, [table.Name, match.Groups[1].Value]), cancellationToken)
            : [];

    public override async ValueTask DisposeAsync()
    {
        await ClearPoolAsync();
        await base.DisposeAsync();
    }

    private async Task ClearPoolAsync()
    {
        await using var connection = new MySqlConnection(_connectionString);
        await connection.ClearPoolAsync(connection);
    }

    private static string ParameterName(int number) => string.Create(CultureInfo.InvariantCulture, $"@p{number}");

    // "Duplicate entry 'news' for key 'name'": the driver has no field for the name, and in every language it is last.
    [GeneratedRegex("'([^']+)'$")]
    private static partial Regex DuplicateKey();
}
