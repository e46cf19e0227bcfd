using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Description;

/// <summary>Tables as JSON schemas.</summary>
internal static class TableSchemas
{
    /// <summary>What a record in an answer has.</summary>
    /// <param name="example">A real one, if there is one to show.</param>
    public static JsonObject DescribeRecord(Table table, JsonObject? example) =>
        Describe(table.Columns, required: [], column => example?[column.Name]);

    /// <summary>
    /// What a new record has. A number that the database gives is left out: a generated client would send 0. Of the
    /// real record only the references are taken, since other values may have to be unique.
    /// </summary>
    public static JsonObject DescribeInput(Table table, JsonObject? example) => Describe(
        table.Columns.Where(column => !column.IsComputed && !column.IsAutoNumber),
        table.Columns.Where(column => column.IsRequired),
        column => column.References is null ? null : example?[column.Name]);

    /// <summary>What a change has. The key of a record stays.</summary>
    public static JsonObject DescribeChanges(Table table, JsonObject? example) => Describe(
        table.Columns.Where(column => !column.IsComputed && column != table.Key),
        required: [],
        column => example?[column.Name]);

    private static JsonObject Describe(
        IEnumerable<Column> columns, IEnumerable<Column> required, Func<Column, JsonNode?> example)
    {
        var schema = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = new JsonObject(columns.Select(column =>
                KeyValuePair.Create(column.Name, (JsonNode?)Describe(column, example(column))))),
            ["additionalProperties"] = false,
        };
        if (required.Any())
        {
            schema["required"] = new JsonArray([.. required.Select(column => JsonValue.Create(column.Name))]);
        }

        return schema;
    }

    private static JsonObject Describe(Column column, JsonNode? value)
    {
        var (type, format) = column.Kind switch
        {
            ColumnKind.WholeNumber => ("integer", column.Maximum <= int.MaxValue ? "int32" : "int64"),
            ColumnKind.ExactNumber => ("string", "decimal"),
            ColumnKind.FloatingNumber => ("number", "double"),
            ColumnKind.Boolean => ("boolean", null),
            ColumnKind.Date => ("string", "date"),
            // "time" and "date-time" have a zone, these columns have none: https://spec.openapis.org/registry/format/
            ColumnKind.Time => ("string", "time-local"),
            ColumnKind.DateTime => ("string", "date-time-local"),
            ColumnKind.Instant => ("string", "date-time"),
            ColumnKind.Uuid => ("string", "uuid"),
            ColumnKind.Binary => ("string", "byte"),
            ColumnKind.Json or ColumnKind.Any => (null, null),
            _ => ("string", (string?)null),
        };
        var schema = new JsonObject();
        Set("type", type is not null && column.IsNullable ? new JsonArray("null", type) : type);
        Set("format", format);
        Set("description", DescriptionOf(column));
        Set("maxLength", column.MaxLength);
        Set("examples", (value?.DeepClone() ?? ExampleOf(column)) is { } example ? new JsonArray(example) : null);
        if (column.Kind == ColumnKind.WholeNumber && column.Minimum > long.MinValue)
        {
            Set("minimum", column.Minimum);
            Set("maximum", column.Maximum);
        }

        return schema;

        void Set(string name, JsonNode? node)
        {
            if (node is not null)
            {
                schema[name] = node;
            }
        }
    }

    /// <summary>A value that the column takes, so that the example of a whole record can be sent as it is.</summary>
    private static JsonNode? ExampleOf(Column column) => column.Kind switch
    {
        ColumnKind.WholeNumber => 1,
        ColumnKind.ExactNumber => "1.5",
        ColumnKind.FloatingNumber => 1.5,
        ColumnKind.Boolean => true,
        ColumnKind.Text => column.MaxLength < column.Name.Length ? column.Name[..column.MaxLength.Value] : column.Name,
        ColumnKind.Date => "2024-01-31",
        ColumnKind.Time => "23:59:59",
        ColumnKind.DateTime => "2024-01-31T23:59:59",
        ColumnKind.Instant => "2024-01-31T23:59:59Z",
        ColumnKind.Uuid => "123e4567-e89b-12d3-a456-426655440000",
        ColumnKind.Binary => "AAEC",
        ColumnKind.Json => new JsonObject(),
        _ => null,
    };

    private static string? DescriptionOf(Column column)
    {
        string?[] parts =
        [
            column.Type.Length > 0 ? column.Type : null,
            column.IsAutoNumber ? "numbered by the database" : null,
            column.IsComputed ? "takes no value" : null,
            column.Default is { } value && !column.IsAutoNumber && !column.IsComputed ? $"default {value}" : null,
            column.References is { } other ? $"{other.Column} of {other.Table}" : null,
        ];
        var text = string.Join("; ", parts.Where(part => part is not null));
        return text.Length > 0 ? text : null;
    }
}
