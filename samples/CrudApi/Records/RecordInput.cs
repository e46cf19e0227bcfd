using System.Text.Json;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;
using CrudApiSample.Queries;

namespace CrudApiSample.Records;

/// <summary>The columns of one record that a body gives.</summary>
internal sealed class RecordInput
{
    private readonly List<ColumnAssignment> _given = [];

    /// <param name="columns">Those that are written; others are passed over. Null when each has to be known.</param>
    /// <param name="addsNumbers">Each value is a number to add; only the key is a value to compare.</param>
    public RecordInput(Table table, IReadOnlyCollection<Column>? columns, JsonElement json, bool addsNumbers)
    {
        if (json.ValueKind != JsonValueKind.Object)
        {
            Refuse.Body($"A record is a JSON object, not {json.ValueKind switch
            {
                JsonValueKind.Array => "an array",
                JsonValueKind.String => "a string",
                JsonValueKind.Number => "a number",
                _ => json.GetRawText(),
            }}.");
        }

        foreach (var property in json.EnumerateObject())
        {
            var column = table.Find(property.Name);
            if (columns is not null && (column is null || !columns.Contains(column)))
            {
                continue;
            }

            if (column is null)
            {
                Refuse.UnknownColumn(table, property.Name);
            }

            if (Has(column))
            {
                Refuse.Body($"The record has column '{column.Name}' twice.");
            }

            if (!IsIncrement(column, property.Value, out var amount) && addsNumbers && column != table.Key)
            {
                RequireNumber(column, property.Value);
                amount = property.Value;
            }

            _given.Add(amount.ValueKind == JsonValueKind.Undefined
                ? new ColumnAssignment(column, JsonInput.Read(column, property.Value))
                : new ColumnAssignment(column, JsonInput.ReadAmount(column, amount), IsIncrement: true));
        }
    }

    /// <summary>What POST inserts.</summary>
    /// <param name="key">From the path; null when the record may bring its own, or have the next number.</param>
    public IReadOnlyList<ColumnAssignment> ToInsert(Table table, object? key)
    {
        RequireWholeValues();
        if (key is not null)
        {
            if (table.Key!.IsComputed)
            {
                Refuse.Value(table.Key, key.ToString(), "is computed by the database and takes no value");
            }

            RemoveKey(table, key);
            _given.Insert(0, new ColumnAssignment(table.Key, key));
        }

        foreach (var column in table.Columns)
        {
            RequireIfNeeded(column);
        }

        return _given;
    }

    /// <summary>What PUT sets: every column, to its default where none is given. The key stays.</summary>
    public IReadOnlyList<ColumnAssignment> ToReplace(Table table, object key)
    {
        RequireWholeValues();
        RemoveKey(table, key);
        foreach (var column in table.Columns)
        {
            if (column != table.Key && !column.IsComputed && !Has(column))
            {
                RequireIfNeeded(column);
                _given.Add(new ColumnAssignment(column, Value: null, IsDefault: true));
            }
        }

        return _given;
    }

    /// <summary>What PATCH sets: what is given. The key stays.</summary>
    public IReadOnlyList<ColumnAssignment> ToChange(Table table, object key)
    {
        RemoveKey(table, key);
        return _given;
    }

    /// <summary><c>{"increment":1}</c> where a number stands otherwise; JSON columns take any object.</summary>
    private static bool IsIncrement(Column column, JsonElement json, out JsonElement amount)
    {
        amount = default;
        return HoldsNumbers(column)
            && json.ValueKind == JsonValueKind.Object
            && json.GetPropertyCount() == 1
            && json.TryGetProperty("increment", out amount);
    }

    private static bool HoldsNumbers(Column column) =>
        column.Kind is ColumnKind.WholeNumber or ColumnKind.ExactNumber or ColumnKind.FloatingNumber;

    private static void RequireNumber(Column column, JsonElement json)
    {
        var isNumber = json.ValueKind == JsonValueKind.Number
            || (json.ValueKind == JsonValueKind.String && column.Kind == ColumnKind.ExactNumber);
        if (!HoldsNumbers(column) || !isNumber)
        {
            Refuse.Value(
                column, json.GetRawText(), "is not changed: PATCH below /records adds numbers, and PUT sets values");
        }
    }

    private void RequireWholeValues()
    {
        if (_given.FirstOrDefault(assignment => assignment.IsIncrement).Column is { } column)
        {
            Refuse.Value(column, value: null, "is incremented by PATCH only");
        }
    }

    private void RemoveKey(Table table, object key)
    {
        var index = _given.FindIndex(assignment => assignment.Column == table.Key);
        if (index >= 0)
        {
            if (_given[index].IsIncrement || !Equals(_given[index].Value, key))
            {
                Refuse.Value(table.Key!, _given[index].Value?.ToString(), "is another in the body than in the path");
            }

            _given.RemoveAt(index);
        }
    }

    private void RequireIfNeeded(Column column)
    {
        if (column.IsRequired && !Has(column))
        {
            Refuse.Value(column, value: null, "is required: it cannot be null and has no default");
        }
    }

    private bool Has(Column column) => _given.Exists(assignment => assignment.Column == column);
}
