using System.Text.Json;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;
using CrudApiSample.Queries;

namespace CrudApiSample.Records;

/// <summary>Values of columns from JSON: by the column's type, without any guessing.</summary>
internal static class JsonInput
{
    /// <returns>Null for null.</returns>
    public static object? Read(Column column, JsonElement json)
    {
        if (column.IsComputed)
        {
            Refuse.Value(column, json.GetRawText(), "is computed by the database and takes no value");
        }

        if (json.ValueKind == JsonValueKind.Null)
        {
            if (!column.IsNullable)
            {
                Refuse.Value(column, "null", "cannot be null");
            }

            return null;
        }

        if (!TryRead(column, json, out var value))
        {
            Refuse.Value(column, json.GetRawText(), ColumnValue.Description(column));
        }

        if (value is string text && column.MaxLength is { } limit && LengthOf(text) > limit)
        {
            Refuse.Value(column, json.GetRawText(), $"holds {limit} characters at most");
        }

        return value;
    }

    /// <summary>What a number is to be incremented by, which may be negative.</summary>
    public static object ReadAmount(Column column, JsonElement json)
    {
        var amounts = column with { Minimum = -column.Maximum };
        object? amount = null;
        if (column.IsComputed || !TryRead(amounts, json, out amount))
        {
            Refuse.Value(column, json.GetRawText(), "is incremented by a number of its own type");
        }

        return amount!;
    }

    /// <summary>False when the column holds no such values.</summary>
    public static bool TryRead(Column column, JsonElement json, out object? value)
    {
        value = (column.Kind, json.ValueKind) switch
        {
            (ColumnKind.WholeNumber, JsonValueKind.Number) => ReadInteger(column, json),
            (ColumnKind.ExactNumber, JsonValueKind.Number) => ColumnValue.ParseExact(json.GetRawText()),
            (ColumnKind.FloatingNumber, JsonValueKind.Number)
                when json.TryGetDouble(out var number) && double.IsFinite(number) =>
                number,
            (ColumnKind.Boolean, JsonValueKind.True or JsonValueKind.False) => json.GetBoolean(),
            (ColumnKind.Any, JsonValueKind.Number) => json.TryGetInt64(out var number) ? number : json.GetDouble(),
            (ColumnKind.Any, JsonValueKind.True or JsonValueKind.False) => json.GetBoolean(),
            (ColumnKind.Any, JsonValueKind.String) => ReadText(json),
            (ColumnKind.Json, _) => json.GetRawText(),
            (ColumnKind.WholeNumber or ColumnKind.FloatingNumber or ColumnKind.Boolean, _) => null,
            (_, JsonValueKind.String) when ColumnValue.TryParse(column, json.GetString()!, out var parsed) => parsed,
            _ => null,
        };
        return value is not null;
    }

    private static object? ReadInteger(Column column, JsonElement json)
    {
        // 1.0 and 1e3 are numbers, but no integers.
        if (json.TryGetInt64(out var number))
        {
            return number >= column.Minimum && number <= column.Maximum ? number : null;
        }

        return json.TryGetUInt64(out var large) && large <= column.Maximum ? large : null;
    }

    private static string? ReadText(JsonElement json) =>
        json.GetString() is { } text && !text.Contains('\0') ? text : null;

    /// <summary>As databases count: a surrogate pair is one character.</summary>
    private static int LengthOf(string text) => text.Length - text.Count(char.IsHighSurrogate);
}
