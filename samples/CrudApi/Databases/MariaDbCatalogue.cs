using System.Data.Common;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>Reads <c>information_schema</c>: the tables of the database that the connection string names.</summary>
internal static class MariaDbCatalogue
{
    public const string Columns = """
        SELECT c.TABLE_NAME, t.TABLE_TYPE, c.COLUMN_NAME, c.DATA_TYPE, c.COLUMN_TYPE, c.IS_NULLABLE, c.COLUMN_DEFAULT,
            c.EXTRA, c.IS_GENERATED, c.CHARACTER_MAXIMUM_LENGTH, c.COLUMN_KEY, k.KEYS_COUNT, f.REFERENCED_TABLE_NAME,
            f.REFERENCED_COLUMN_NAME
        FROM information_schema.COLUMNS AS c
        JOIN information_schema.TABLES AS t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
        LEFT JOIN (
            SELECT TABLE_NAME, COUNT(*) AS KEYS_COUNT FROM information_schema.KEY_COLUMN_USAGE
            WHERE TABLE_SCHEMA = DATABASE() AND CONSTRAINT_NAME = 'PRIMARY'
            GROUP BY TABLE_NAME) AS k ON k.TABLE_NAME = c.TABLE_NAME
        LEFT JOIN (
            SELECT TABLE_NAME, MIN(COLUMN_NAME) AS COLUMN_NAME, MIN(REFERENCED_TABLE_NAME) AS REFERENCED_TABLE_NAME,
                MIN(REFERENCED_COLUMN_NAME) AS REFERENCED_COLUMN_NAME
            FROM information_schema.KEY_COLUMN_USAGE
            WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE()
            GROUP BY TABLE_NAME, CONSTRAINT_NAME
            HAVING COUNT(*) = 1) AS f ON f.TABLE_NAME = c.TABLE_NAME AND f.COLUMN_NAME = c.COLUMN_NAME
        WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
        ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION
        """;

    public static Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey)
    {
        isReadOnly = reader.GetString(1) == "VIEW";
        isKey = reader.GetString(10) == "PRI" && !reader.IsDBNull(11) && reader.GetInt64(11) == 1;
        var name = reader.GetString(2);
        var type = reader.GetString(3);
        var fullType = reader.GetString(4);
        var extra = reader.GetString(7);
        var kind = KindOf(type, fullType);
        var (minimum, maximum) = RangeOf(type, fullType);
        var quoted = Quote(name);
        return new Column(name, quoted, kind, type)
        {
            // As texts: the driver's own types hold neither all dates nor all digits of MariaDB's.
            Selected = IsGeometry(type) ? $"ST_AsText({quoted})"
                : kind is ColumnKind.ExactNumber or ColumnKind.Date or ColumnKind.Time or ColumnKind.DateTime
                or ColumnKind.Uuid or ColumnKind.Other
                ? $"CAST({quoted} AS CHAR)"
                : quoted,
            IsNullable = reader.GetString(5) == "YES",
            // NULL for none; the word NULL where that is the default.
            Default = reader.IsDBNull(6) ? null : reader.GetString(6),
            IsAutoNumber = extra.Contains("auto_increment", StringComparison.OrdinalIgnoreCase),
            IsComputed = reader.GetString(8) != "NEVER",
            MaxLength = type is "char" or "varchar" ? Convert.ToInt32(reader.GetValue(9), null) : null,
            Minimum = minimum,
            Maximum = maximum,
            References = reader.IsDBNull(12) ? null : new ForeignKey(reader.GetString(12), reader.GetString(13)),
        };
    }

    // JSON is longtext there, so it is text here.
    private static ColumnKind KindOf(string type, string fullType) => type switch
    {
        "tinyint" when fullType.StartsWith("tinyint(1)", StringComparison.Ordinal) => ColumnKind.Boolean,
        "bit" when fullType == "bit(1)" => ColumnKind.Boolean,
        "tinyint" or "smallint" or "mediumint" or "int" or "bigint" or "bit" or "year" => ColumnKind.WholeNumber,
        "decimal" => ColumnKind.ExactNumber,
        "float" or "double" => ColumnKind.FloatingNumber,
        "char" or "varchar" or "tinytext" or "text" or "mediumtext" or "longtext" or "enum" or "set" => ColumnKind.Text,
        "date" => ColumnKind.Date,
        "time" => ColumnKind.Time,
        "datetime" or "timestamp" => ColumnKind.DateTime,
        "uuid" => ColumnKind.Uuid,
        "inet4" or "inet6" => ColumnKind.Other,
        _ when IsGeometry(type) => ColumnKind.Other,
        _ => ColumnKind.Binary,
    };

    /// <summary>A type whose values are well-known text (WKT) outside of the database.</summary>
    public static bool IsGeometry(string type) =>
        type is "geometry" or "point" or "linestring" or "polygon"
            or "multipoint" or "multilinestring" or "multipolygon" or "geometrycollection";

    private static (decimal Minimum, decimal Maximum) RangeOf(string type, string fullType)
    {
        var bits = type switch
        {
            "tinyint" => 8,
            "smallint" => 16,
            "mediumint" => 24,
            "int" => 32,
            _ => 64,
        };
        var values = (decimal)(UInt128.One << bits);
        return type == "bit" || fullType.Contains("unsigned", StringComparison.Ordinal)
            ? (0, values - 1)
            : (-values / 2, (values / 2) - 1);
    }

    public static string Quote(string name) => $"`{name.Replace("`", "``", StringComparison.Ordinal)}`";
}
