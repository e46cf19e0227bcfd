using System.Data.Common;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>Reads <c>pg_catalog</c>: the tables of the first schema of the search path.</summary>
internal static class PostgreSqlCatalogue
{
    // information_schema hides the keys of tables that somebody else owns, so pg_catalog.
    // A domain counts as the type below it. attgenerated and attidentity are "char"s, empty when not so.
    public const string Columns = """
        SELECT c.relname, c.relkind IN ('v', 'm'), a.attname, pg_catalog.format_type(b.oid, NULL), NOT a.attnotnull,
            pg_catalog.pg_get_expr(d.adbin, d.adrelid), a.attidentity::text, a.attgenerated::text,
            CASE WHEN a.atttypid IN (1042, 1043) AND a.atttypmod > 4 THEN a.atttypmod - 4 END,
            p.conname IS NOT NULL, f.table_name, f.column_name
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
        JOIN pg_catalog.pg_type AS b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
        LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
        LEFT JOIN pg_catalog.pg_constraint AS p
            ON p.conrelid = c.oid AND p.contype = 'p' AND p.conkey = ARRAY[a.attnum]
        LEFT JOIN LATERAL (
            SELECT r.relname AS table_name, o.attname AS column_name
            FROM pg_catalog.pg_constraint AS k
            JOIN pg_catalog.pg_class AS r ON r.oid = k.confrelid
            JOIN pg_catalog.pg_attribute AS o ON o.attrelid = r.oid AND o.attnum = k.confkey[1]
            WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
            ORDER BY k.conname LIMIT 1) AS f ON true
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        ORDER BY c.relname, a.attnum
        """;

    public static Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey)
    {
        isReadOnly = reader.GetBoolean(1);
        isKey = reader.GetBoolean(9);
        var name = reader.GetString(2);
        var type = reader.GetString(3);
        var kind = KindOf(type);
        var expression = reader.IsDBNull(5) ? null : reader.GetString(5);
        var identity = reader.GetString(6);
        var (minimum, maximum) = RangeOf(type);
        var quoted = Database.QuoteName(name);
        return new Column(name, quoted, kind, type)
        {
            // What is written as a text of the database's own making.
            Selected = kind is ColumnKind.ExactNumber or ColumnKind.Date or ColumnKind.Time or ColumnKind.Json
                or ColumnKind.Other
                ? $"CAST({quoted} AS text)"
                : quoted,
            IsNullable = reader.GetBoolean(4),
            Default = expression,
            IsAutoNumber = identity.Length > 0 || expression?.StartsWith("nextval(", StringComparison.Ordinal) == true,
            // "a": GENERATED ALWAYS AS IDENTITY, which takes no value either.
            IsComputed = identity == "a" || reader.GetString(7).Length > 0,
            MaxLength = reader.IsDBNull(8) ? null : reader.GetInt32(8),
            Minimum = minimum,
            Maximum = maximum,
            References = reader.IsDBNull(10) ? null : new ForeignKey(reader.GetString(10), reader.GetString(11)),
        };
    }

    private static ColumnKind KindOf(string type) => type switch
    {
        "smallint" or "integer" or "bigint" or "oid" => ColumnKind.WholeNumber,
        "numeric" => ColumnKind.ExactNumber,
        "real" or "double precision" => ColumnKind.FloatingNumber,
        "boolean" => ColumnKind.Boolean,
        "text" or "character varying" or "character" or "name" => ColumnKind.Text,
        "date" => ColumnKind.Date,
        "time without time zone" => ColumnKind.Time,
        "timestamp without time zone" => ColumnKind.DateTime,
        "timestamp with time zone" => ColumnKind.Instant,
        "uuid" => ColumnKind.Uuid,
        "bytea" => ColumnKind.Binary,
        "json" or "jsonb" => ColumnKind.Json,
        _ => ColumnKind.Other,
    };

    private static (decimal Minimum, decimal Maximum) RangeOf(string type) => type switch
    {
        "smallint" => (short.MinValue, short.MaxValue),
        "integer" => (int.MinValue, int.MaxValue),
        "oid" => (uint.MinValue, uint.MaxValue),
        _ => (long.MinValue, long.MaxValue),
    };
}
