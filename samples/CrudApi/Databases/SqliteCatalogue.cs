using System.Data.Common;
using System.Globalization;
using System.Text.RegularExpressions;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>Reads what <c>PRAGMA table_list</c> and its relatives tell.</summary>
internal static partial class SqliteCatalogue
{
    // Columns with "hidden" 1 belong to virtual tables, 2 and 3 are computed.
    public const string Columns = """
        SELECT t.name, t.type, t.wr, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden,
            f."table", f."to",
            (SELECT COUNT(*) FROM pragma_table_xinfo(t.name) AS k WHERE k.pk > 0) AS keys
        FROM pragma_table_list AS t
        JOIN pragma_table_xinfo(t.name) AS c
        LEFT JOIN pragma_foreign_key_list(t.name) AS f ON f."from" = c.name AND f.seq = 0
            AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) AS o WHERE o.id = f.id AND o.seq > 0)
        WHERE t.schema = 'main' AND t.type IN ('table', 'view', 'virtual') AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
            AND c.hidden <> 1
        ORDER BY t.name, c.cid
        """;

    public static Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey)
    {
        isReadOnly = reader.GetString(1) != "table";
        isKey = !isReadOnly && reader.GetInt64(7) > 0 && reader.GetInt64(11) == 1;
        var hasRowid = reader.GetInt64(2) == 0;
        var name = reader.GetString(3);
        var type = reader.GetString(4);
        var kind = KindOf(type);
        return new Column(name, Database.QuoteName(name), kind, type)
        {
            // A key without NOT NULL could be null in SQLite, but then nobody could address it.
            IsNullable = reader.GetInt64(5) == 0 && !isKey,
            Default = reader.IsDBNull(6) ? null : reader.GetString(6),
            // Another name of the rowid, which is given by itself.
            IsAutoNumber = isKey && hasRowid && type.Equals("INTEGER", StringComparison.OrdinalIgnoreCase),
            IsComputed = reader.GetInt64(8) > 1,
            MaxLength = kind == ColumnKind.Text ? NumberIn(type, Length()) : null,
            Scale = kind == ColumnKind.ExactNumber ? NumberIn(type, Scale()) : null,
            // A foreign key that names no column means the other table's primary key.
            References = reader.IsDBNull(9) || reader.IsDBNull(10)
                ? null
                : new ForeignKey(reader.GetString(9), reader.GetString(10)),
        };
    }

    /// <summary>SQLite's own rules of affinity, after the names that other databases have for further types.</summary>
    private static ColumnKind KindOf(string type)
    {
        bool Has(string part) => type.Contains(part, StringComparison.OrdinalIgnoreCase);
        return type switch
        {
            "" => ColumnKind.Any,
            _ when Has("BOOL") => ColumnKind.Boolean,
            _ when Has("DATETIME") || Has("TIMESTAMP") => ColumnKind.DateTime,
            _ when Has("DATE") => ColumnKind.Date,
            _ when Has("TIME") => ColumnKind.Time,
            _ when Has("INT") => ColumnKind.WholeNumber,
            _ when Has("CHAR") || Has("CLOB") || Has("TEXT") => ColumnKind.Text,
            _ when Has("BLOB") => ColumnKind.Binary,
            _ when Has("REAL") || Has("FLOA") || Has("DOUB") => ColumnKind.FloatingNumber,
            _ when Has("DEC") || Has("NUMERIC") => ColumnKind.ExactNumber,
            _ => ColumnKind.Any,
        };
    }

    private static int? NumberIn(string type, Regex place) =>
        place.Match(type) is { Success: true } match
        && int.TryParse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture, out var length)
            ? length
            : null;

    [GeneratedRegex(@"\(\s*([0-9]{1,9})\s*\)")]
    private static partial Regex Length();

    [GeneratedRegex(@"\(\s*[0-9]+\s*,\s*([0-9]{1,2})\s*\)")]
    private static partial Regex Scale();
}
