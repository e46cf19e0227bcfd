using System.Globalization;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>
/// Reads the query string of a list. What it does not know is refused: a misspelt filter must not return all.
/// </summary>
internal static class ListQueryParser
{
    public static ListQuery Parse(IQueryCollection query, Table table, ApiOptions options)
    {
        var filters = new List<Filter>();
        var order = new List<SortKey>();
        var columns = table.Columns;
        var (page, pageSize) = (1, Math.Min(options.PageSize, options.MaxPageSize));
        var isCounted = true;
        foreach (var (name, values) in query)
        {
            foreach (var value in values)
            {
                var text = value ?? "";
                switch (name)
                {
                    case FilterParser.Parameter:
                        filters.Add(FilterParser.Parse(table, text, options.MaxRecords));
                        break;
                    case "order":
                        order.Add(ParseSortKey(table, text));
                        break;
                    case "columns" or "include":
                        columns = ParseColumns(table, text);
                        break;
                    case "page":
                        (page, pageSize) = ParsePage(text, pageSize, options.MaxPageSize);
                        break;
                    case "count" when bool.TryParse(text, out isCounted):
                        break;
                    case "count":
                        Refuse.Query(name, "The parameter count is true or false.");
                        break;
                    default:
                        Refuse.Query(
                            name,
                            $"There is no parameter '{name}', only filter, order, columns (include), page and count.");
                        break;
                }
            }
        }

        return new ListQuery(filters, order, columns, page, pageSize, isCounted);
    }

    /// <summary>A request for records by their keys takes <c>columns</c> only.</summary>
    public static IReadOnlyList<Column> ParseColumns(IQueryCollection query, Table table)
    {
        var columns = table.Columns;
        foreach (var (name, values) in query)
        {
            if (name is not ("columns" or "include"))
            {
                Refuse.Query(name, $"There is no parameter '{name}' here, only columns (or include).");
            }

            columns = ParseColumns(table, values.ToString());
        }

        return columns;
    }

    private static Column[] ParseColumns(Table table, string text) =>
        [.. text.Split(',').Distinct(StringComparer.Ordinal).Select(name => Find(table, name))];

    private static SortKey ParseSortKey(Table table, string text)
    {
        var parts = text.Split(',', 2);
        var column = Find(table, parts[0]);
        var direction = parts.Length > 1 ? parts[1] : "asc";
        if (direction is not ("asc" or "desc"))
        {
            Refuse.Query("order", "An order is column,asc or column,desc.");
        }

        return new SortKey(column, direction == "desc");
    }

    private static (int Page, int PageSize) ParsePage(string text, int pageSize, int maxPageSize)
    {
        var parts = text.Split(',');
        if (parts.Length > 2
            || !TryParsePositive(parts[0], out var page)
            || (parts.Length == 2 && !TryParsePositive(parts[1], out pageSize)))
        {
            Refuse.Query("page", "A page is number or number,size, both from 1.");
            return default;
        }

        if (pageSize > maxPageSize)
        {
            Refuse.Query("page", $"A page has {maxPageSize} records at most.");
        }

        return (page, pageSize);
    }

    private static bool TryParsePositive(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number > 0;

    private static Column Find(Table table, string name)
    {
        var column = table.Find(name);
        if (column is null)
        {
            Refuse.UnknownColumn(table, name);
        }

        return column;
    }
}
