using System.Globalization;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>Reads <c>filter=column,operator,value</c> and <c>search=text</c>.</summary>
internal static class FilterParser
{
    public const string Parameter = "filter";
    public const string SearchParameter = "search";

    private static readonly string[] _operators = ["cs", "sw", "ew", "eq", "lt", "le", "ge", "gt", "bt", "in", "is"];

    /// <param name="maxValues">The most values that <c>in</c> may have.</param>
    public static Filter Parse(Catalogue catalogue, Table table, string text, int maxValues)
    {
        var parts = text.Split(',', 3);
        var (path, column) = Find(catalogue, table, parts[0]);
        var name = parts.Length > 1 ? parts[1] : "";
        var isNegated = name.StartsWith('n');
        var comparison = isNegated ? name[1..] : name;
        if (!_operators.Contains(comparison))
        {
            Refuse.Query(
                Parameter,
                $"A filter is column,operator,value, and the operators are {string.Join(", ", _operators)}; "
                + "each with an n before it for the opposite.");
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

        return (path, from.Get(names[^1]));
    }

    private static object[] Values(Column column, string comparison, string? text, int maxValues)
    {
        if (comparison == "is")
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
            case "cs" or "sw" or "ew":
                if (column.Kind == ColumnKind.Binary)
                {
                    Refuse.Query(Parameter, $"Column '{column.Name}' holds bytes, and no text to look into.");
                }

                if (text.Contains('\0'))
                {
                    Refuse.Value(column, text, "holds no such text");
                }

                return [text];
            case "bt":
                var ends = text.Split(',');
                if (ends.Length != 2)
                {
                    Refuse.Query(Parameter, "The operator bt needs two values: column,bt,from,to.");
                }

                return [Parse(column, ends[0]), Parse(column, ends[1])];
            case "in":
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

    /// <summary><c>search=text</c>: one of the columns with text has to contain it.</summary>
    public static FilterTree ParseSearch(Table table, string text)
    {
        Column[] columns = [.. table.Columns.Where(column => column.Kind == ColumnKind.Text)];
        if (columns.Length == 0)
        {
            Refuse.Query(SearchParameter, $"Table '{table.Name}' has no column with text.");
        }

        if (text.Length == 0 || text.Contains('\0'))
        {
            Refuse.Query(SearchParameter, "The parameter search needs a text.");
        }

        var tree = new FilterTree();
        for (var i = 0; i < columns.Length; i++)
        {
            var filter = new Filter([], columns[i], "cs", IsNegated: false, [text]);
            tree.Add(filter, i.ToString(CultureInfo.InvariantCulture));
        }

        return tree;
    }
}
