using System.Globalization;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>Tables as JSON schemas.</summary>
internal static class TableSchemas
{
    /// <summary>What a record in an answer has.</summary>
    /// <param name="example">A real one, if there is one to show.</param>
    public static OpenApiSchema DescribeRecord(Table table, JsonObject? example) =>
        Describe(table.Columns, required: [], column => example?[column.Name]);

    /// <summary>
    /// What a new record has. A number that the database gives is left out: a generated client would send 0. Of the
    /// real record only the references are taken, since other values may have to be unique.
    /// </summary>
    public static OpenApiSchema DescribeInput(Table table, JsonObject? example) => Describe(
        table.Columns.Where(column => !column.IsComputed && !column.IsAutoNumber),
        table.Columns.Where(column => column.IsRequired),
        column => column.References is null ? null : example?[column.Name]);

    /// <summary>What a change has. The key of a record stays.</summary>
    public static OpenApiSchema DescribeChanges(Table table, JsonObject? example) => Describe(
        table.Columns.Where(column => !column.IsComputed && column != table.Key),
        required: [],
        column => example?[column.Name]);

    private static OpenApiSchema Describe(
        IEnumerable<Column> columns, IEnumerable<Column> required, Func<Column, JsonNode?> example) => new()
    {
        Type = JsonSchemaType.Object,
        Properties = columns.ToDictionary(
            column => column.Name, IOpenApiSchema (column) => Describe(column, example(column))),
        Required = required.Select(column => column.Name).ToHashSet(StringComparer.Ordinal),
        AdditionalPropertiesAllowed = false,
    };

    private static OpenApiSchema Describe(Column column, JsonNode? value)
    {
        var schema = new OpenApiSchema
        {
            Description = DescriptionOf(column),
            MaxLength = column.MaxLength,
            Examples = (value?.DeepClone() ?? ExampleOf(column)) is { } example ? [example] : null,
        };
        (schema.Type, schema.Format) = column.Kind switch
        {
            ColumnKind.WholeNumber => (JsonSchemaType.Integer, column.Maximum <= int.MaxValue ? "int32" : "int64"),
            ColumnKind.ExactNumber => (JsonSchemaType.String, "decimal"),
            ColumnKind.FloatingNumber => (JsonSchemaType.Number, "double"),
            ColumnKind.Boolean => (JsonSchemaType.Boolean, null),
            ColumnKind.Date => (JsonSchemaType.String, "date"),
            // "time" and "date-time" have a zone, these columns have none: https://spec.openapis.org/registry/format/
            ColumnKind.Time => (JsonSchemaType.String, "time-local"),
            ColumnKind.DateTime => (JsonSchemaType.String, "date-time-local"),
            ColumnKind.Instant => (JsonSchemaType.String, "date-time"),
            ColumnKind.Uuid => (JsonSchemaType.String, "uuid"),
            ColumnKind.Binary => (JsonSchemaType.String, "byte"),
            ColumnKind.Json or ColumnKind.Any => ((JsonSchemaType?)null, (string?)null),
            _ => (JsonSchemaType.String, null),
        };
        if (column.IsNullable && schema.Type is { } type)
        {
            schema.Type = type | JsonSchemaType.Null;
        }

        if (column.Kind == ColumnKind.WholeNumber && column.Minimum > long.MinValue)
        {
            schema.Minimum = column.Minimum.ToString(CultureInfo.InvariantCulture);
            schema.Maximum = column.Maximum.ToString(CultureInfo.InvariantCulture);
        }

        return schema;
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
