using CrudApiSample.Catalogues;
using CrudApiSample.Problems;
using CrudApiSample.Queries;

namespace CrudApiSample.Records;

/// <summary>What the path of a request names.</summary>
internal static class RecordTarget
{
    public const string TableValue = "table";
    public const string KeysValue = "keys";

    /// <summary>The path of PHP-CRUD-API, below which a request means what it means there.</summary>
    public const string MovedPrefix = "/records";

    public static bool IsMoved(HttpContext context) => context.GetEndpoint()!.Metadata.GetMetadata<Moved>() is not null;

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

    /// <summary>The keys in the path, as they are there and as values: as many as are allowed.</summary>
    public static (string Text, object Value)[] ReadKeys(Table table, HttpRequest request, int maxRecords)
    {
        if (table.Key is not { } column)
        {
            Refuse.NoKey(table);
            return [];
        }

        var texts = ((string)request.RouteValues[KeysValue]!).Split(',');
        if (texts.Length > maxRecords)
        {
            Refuse.TooManyRecords(maxRecords);
        }

        return Array.ConvertAll(texts, text => ReadKey(table, column, text));
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

    /// <summary>Marks the endpoints below <see cref="MovedPrefix"/>.</summary>
    public sealed class Moved;
}
