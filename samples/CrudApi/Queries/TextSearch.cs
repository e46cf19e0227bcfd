using System.Globalization;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>Reads <c>search=text</c>: one of the columns with text has to contain it.</summary>
internal static class TextSearch
{
    public const string Parameter = "search";

    public static FilterTree Parse(Table table, string text)
    {
        Column[] columns = [.. table.Columns.Where(column => column.Kind == ColumnKind.Text)];
        if (columns.Length == 0)
        {
            Refuse.Query(Parameter, $"Table '{table.Name}' has no column with text.");
        }

        if (text.Length == 0 || text.Contains('\0'))
        {
            Refuse.Query(Parameter, "The parameter search needs a text.");
        }

        var tree = new FilterTree();
        for (var i = 0; i < columns.Length; i++)
        {
            var filter = new Filter([], columns[i], FilterOperator.Contains, IsNegated: false, [text]);
            tree.Add(filter, i.ToString(CultureInfo.InvariantCulture));
        }

        return tree;
    }
}
