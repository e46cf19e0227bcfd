using System.Collections.Frozen;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>Reads <c>column,operator,value</c>.</summary>
internal static class FilterParser
{
    public const string Parameter = "filter";

    private const string Operators =
        "cs, sw, ew, eq, lt, le, ge, gt, bt, in, is; each with an n before it for the opposite";

    private static readonly FrozenDictionary<string, FilterOperator> _operators = new Dictionary<string, FilterOperator>
    {
        ["cs"] = FilterOperator.Contains,
        ["sw"] = FilterOperator.StartsWith,
        ["ew"] = FilterOperator.EndsWith,
        ["eq"] = FilterOperator.Equal,
        ["lt"] = FilterOperator.Less,
        ["le"] = FilterOperator.LessOrEqual,
        ["ge"] = FilterOperator.GreaterOrEqual,
        ["gt"] = FilterOperator.Greater,
        ["bt"] = FilterOperator.Between,
        ["in"] = FilterOperator.In,
        ["is"] = FilterOperator.IsNull,
    }.ToFrozenDictionary(StringComparer.Ordinal);

    /// <param name="maxValues">The most values that <c>in</c> may have.</param>
    public static Filter Parse(Catalogue catalogue, Table table, string text, int maxValues)
    {
        var parts = text.Split(',', 3);
        var (path, column) = Find(catalogue, table, parts[0]);
        var name = parts.Length > 1 ? parts[1] : "";
        var isNegated = name.StartsWith('n');
        if (!_operators.TryGetValue(isNegated ? name[1..] : name, out var comparison))
        {
            Refuse.Query(Parameter, $"A filter is column,operator,value, and the operators are {Operators}.");
        }

        var value = parts.Length > 2 ? parts[2] : null;
        return new Filter(path, column, comparison, isNegated, Values(column, comparison, value, maxValues));
    }

    /// <summary><c>column</c>, or <c>comments.users.column</c> of a related table.</summary>
    private static (IReadOnlyList<RelatedTable> Path, Column Column) Find(Catalogue catalogue, Table table, string name)
    {
        if (table.Find(name) is { } own)
        {
            return ([], own);
        }

        var names = name.Split('.');
        if (names.Length - 1 > RelatedTable.MaxDepth)
        {
            Refuse.Query(Parameter, $"A filter leads over {RelatedTable.MaxDepth} tables at most.");
        }

        var path = new List<RelatedTable>();
        var from = table;
        foreach (var next in names[..^1])
        {
            path.Add(RelatedTable.Find(catalogue, from, next, Parameter));
            from = path[^1].Table;
        }

        var column = from.Find(names[^1]);
        if (column is null)
        {
            Refuse.UnknownColumn(from, names[^1]);
        }

        return (path, column);
    }

    private static object[] Values(Column column, FilterOperator comparison, string? text, int maxValues)
    {
        if (comparison == FilterOperator.IsNull)
        {
            if (text is not (null or "null"))
            {
                Refuse.Query(Parameter, "The operator is compares with null only.");
            }

            return [];
        }

        if (text is null)
        {
            Refuse.Query(Parameter, $"The filter on '{column.Name}' has no value.");
        }

        switch (comparison)
        {
            case FilterOperator.Contains or FilterOperator.StartsWith or FilterOperator.EndsWith:
                if (column.Kind == ColumnKind.Binary)
                {
                    Refuse.Query(Parameter, $"Column '{column.Name}' holds bytes, and no text to look into.");
                }

                if (text.Contains('\0'))
                {
                    Refuse.Value(column, text, "holds no such text");
                }

                return [text];
            case FilterOperator.Between:
                var ends = text.Split(',');
                if (ends.Length != 2)
                {
                    Refuse.Query(Parameter, "The operator bt needs two values: column,bt,from,to.");
                }

                return [Parse(column, ends[0]), Parse(column, ends[1])];
            case FilterOperator.In:
                var members = text.Split(',');
                if (members.Length > maxValues)
                {
                    Refuse.Query(Parameter, $"The operator in takes {maxValues} values at most.");
                }

                return [.. members.Select(member => Parse(column, member))];
            default:
                return [Parse(column, text)];
        }
    }

    private static object Parse(Column column, string text)
    {
        if (!ColumnValue.TryParse(column, text, out var value))
        {
            Refuse.Value(column, text, ColumnValue.Description(column));
        }

        return value;
    }
}
