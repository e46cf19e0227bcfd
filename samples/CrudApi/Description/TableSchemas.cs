using System.Globalization;
using CrudApiSample.Catalogues;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>Tables as JSON schemas.</summary>
internal static class TableSchemas
{
    /// <param name="isComplete">What a record in an answer has; otherwise what a record in a body must have.</param>
    public static OpenApiSchema Describe(Table table, bool isComplete) => new()
    {
        Type = JsonSchemaType.Object,
        Properties = table.Columns
            .Where(column => isComplete || !column.IsComputed)
            .ToDictionary(column => column.Name, Describe),
        Required = table.Columns
            .Where(column => !isComplete && column.IsRequired)
            .Select(column => column.Name)
            .ToHashSet(StringComparer.Ordinal),
        AdditionalPropertiesAllowed = false,
    };

    public static IOpenApiSchema Describe(Column column)
    {
        var schema = new OpenApiSchema { Description = DescriptionOf(column), MaxLength = column.MaxLength };
        (schema.Type, schema.Format) = column.Kind switch
        {
            ColumnKind.WholeNumber => (JsonSchemaType.Integer, column.Maximum <= int.MaxValue ? "int32" : "int64"),
            ColumnKind.ExactNumber => (JsonSchemaType.Number, null),
            ColumnKind.FloatingNumber => (JsonSchemaType.Number, "double"),
            ColumnKind.Boolean => (JsonSchemaType.Boolean, null),
            ColumnKind.Date => (JsonSchemaType.String, "date"),
            ColumnKind.Time => (JsonSchemaType.String, "time"),
            ColumnKind.DateTime or ColumnKind.Instant => (JsonSchemaType.String, "date-time"),
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
