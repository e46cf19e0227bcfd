using CrudApiSample.Catalogues;
using CrudApiSample.Problems;
using CrudApiSample.Queries;

namespace CrudApiSample.Records;

/// <summary>What the path of a request names.</summary>
internal static class RecordTarget
{
    public const string TableValue = "table";
    public const string KeysValue = "keys";

    /// <summary>The table, if the operation is allowed there.</summary>
    public static Table FindTable(Catalogue catalogue, HttpRequest request, Operations operation)
    {
        var name = (string)request.RouteValues[TableValue]!;
        var table = catalogue.Find(name);
        if (table is null)
        {
            Refuse.UnknownTable(name);
        }

        if (operation != Operations.Read && table.IsReadOnly)
        {
            Refuse.ReadOnly(table);
        }

        if (!table.Operations.HasFlag(operation))
        {
            Refuse.NotAllowed(table, request.Method);
        }

        return table;
    }

    /// <summary>The keys in the path, as they are there and as values: each once, and as many as are allowed.</summary>
    public static (string Text, object Value)[] ReadKeys(Table table, HttpRequest request, int maxRecords)
    {
        if (table.Key is not { } column)
        {
            Refuse.NoKey(table);
            return [];
        }

        var path = (string)request.RouteValues[KeysValue]!;
        if (!path.Contains(','))
        {
            return [ReadKey(table, column, path)];
        }

        var texts = path.Split(',');
        if (texts.Length > maxRecords)
        {
            Refuse.TooManyRecords(maxRecords);
        }

        var keys = Array.ConvertAll(texts, text => ReadKey(table, column, text));
        if (keys.DistinctBy(key => key.Value).Count() < keys.Length)
        {
            Refuse.Body("The path names a record twice.");
        }

        return keys;
    }

    // A key that is none has no record; that is not an error of its type.
    private static (string Text, object Value) ReadKey(Table table, Column column, string text)
    {
        if (!ColumnValue.TryParse(column, text, out var value))
        {
            Refuse.UnknownRecords(table, [text]);
        }

        return (text, value);
    }
}
