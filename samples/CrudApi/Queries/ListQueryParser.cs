using System.Globalization;
using System.Text.RegularExpressions;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>
/// Reads the query string of a list. What it does not know is refused: a misspelt filter must not return all.
/// </summary>
internal static partial class ListQueryParser
{
    public static ListQuery Parse(
        IQueryCollection query, Catalogue catalogue, Table table, ApiOptions options, bool isMoved)
    {
        var filters = new FilterTree();
        var order = new List<SortKey>();
        var choice = new ColumnChoice(table, isMoved);
        var joins = new JoinParser(catalogue, table);
        var (page, pageSize) = (1, Math.Min(options.PageSize, options.MaxPageSize));
        var (isCounted, isCsv) = (true, false);
        foreach (var (name, text) in Flatten(query))
        {
            switch (name)
            {
                case var _ when FilterName().Match(name) is { Success: true } match:
                    string[] path = [.. match.Groups["part"].Captures.Select(part => part.Value)];
                    filters.Add(FilterParser.Parse(catalogue, table, text, options.MaxRecords), path);
                    break;
                case FilterParser.SearchParameter:
                    filters.Add(FilterParser.ParseSearch(table, text));
                    break;
                case "order":
                    order.Add(ParseSortKey(table, text));
                    break;
                case var _ when choice.TryRead(name, text) || joins.TryRead(name, text):
                    break;
                case "page":
                    (page, pageSize) = ParsePage(text, pageSize, options.MaxPageSize);
                    break;
                case "size":
                    (_, pageSize) = ParsePage($"1,{text}", pageSize, options.MaxPageSize);
                    break;
                case "count" when bool.TryParse(text, out isCounted):
                    break;
                case "count":
                    Refuse.Query(name, "The parameter count is true or false.");
                    break;
                case "format" when text is "csv" or "json":
                    isCsv = text == "csv";
                    break;
                case "format":
                    Refuse.Query(name, "The parameter format is csv or json.");
                    break;
                default:
                    Refuse.Query(
                        name,
                        $"There is no parameter '{name}', only filter (filter1, filter2 …), search, order, "
                        + "columns (include), exclude, join, page, size, count and format.");
                    break;
            }
        }

        var joined = joins.ToList(choice, out var columns);
        if (isCsv && joined.Count > 0)
        {
            Refuse.Query("format", "CSV has no place for the records of joined tables.");
        }

        return new ListQuery(filters, order, columns, joined, page, pageSize, isCounted, isCsv);
    }

    /// <summary>A request for records by their keys takes the choice of columns, and joins.</summary>
    public static IReadOnlyList<Join> ParseColumns(
        IQueryCollection query, Catalogue catalogue, Table table, bool isMoved, out IReadOnlyList<Column> columns)
    {
        var choice = new ColumnChoice(table, isMoved);
        var joins = new JoinParser(catalogue, table);
        foreach (var (name, text) in Flatten(query))
        {
            if (!choice.TryRead(name, text) && !joins.TryRead(name, text))
            {
                Refuse.Query(
                    name, $"There is no parameter '{name}' here, only columns (or include), exclude and join.");
            }
        }

        return joins.ToList(choice, out columns);
    }

    /// <summary>The columns that a request of PHP-CRUD-API writes.</summary>
    public static IReadOnlyList<Column> ParseWritten(IQueryCollection query, Table table)
    {
        var choice = new ColumnChoice(table, isMoved: true);
        foreach (var (name, text) in Flatten(query))
        {
            if (!choice.TryRead(name, text))
            {
                Refuse.Query(name, $"There is no parameter '{name}' here, only columns (or include) and exclude.");
            }
        }

        return choice.Resolve([])[table];
    }

    /// <summary>PHP and jQuery send a list as <c>filter[]</c>, or as <c>filter[0]</c> and so on.</summary>
    private static IEnumerable<(string Name, string Text)> Flatten(IQueryCollection query) =>
        from parameter in query
        from value in parameter.Value
        select (Index().Replace(parameter.Key, ""), value ?? "");

    private static SortKey ParseSortKey(Table table, string text)
    {
        var parts = text.Split(',', 2);
        var column = table.Get(parts[0]);
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
            || !TryParse(parts[0], out var page) || page == 0
            || (parts.Length == 2 && !TryParse(parts[1], out pageSize)))
        {
            Refuse.Query("page", "A page is number or number,size: the number from 1, the size from 0.");
            return default;
        }

        if (pageSize > maxPageSize)
        {
            Refuse.Query("page", $"A page has {maxPageSize} records at most.");
        }

        return (page, pageSize);
    }

    private static bool TryParse(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);

    [GeneratedRegex(@"\[[0-9]*\]$")]
    private static partial Regex Index();

    // One filter is column,operator,value. Numbered ones are alternatives, and letters alternatives in one of them.
    [GeneratedRegex("^filter(?:(?<part>[0-9]+)(?:(?<part>[a-z]+)(?<part>[0-9]+)?)?)?$")]
    private static partial Regex FilterName();
}
