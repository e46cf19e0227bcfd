using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>
/// Which columns a request wants: <c>columns</c>, also called <c>include</c>, without <c>exclude</c>. Columns of joined
/// tables are <c>table.column</c>; <c>*</c> stands for all columns of the table, <c>table.*</c> and <c>*.*</c> for
/// those of another and of all.
/// </summary>
/// <param name="isMoved">A table of which no column is included has none, as in PHP-CRUD-API; otherwise all.</param>
internal sealed class ColumnChoice(Table table, bool isMoved)
{
    private readonly List<string> _included = [];
    private readonly List<string> _excluded = [];

    /// <returns>False for another parameter.</returns>
    public bool TryRead(string parameter, string text)
    {
        var names = parameter switch
        {
            "columns" or "include" => _included,
            "exclude" => _excluded,
            _ => null,
        };
        names?.AddRange(text.Split(','));
        return names is not null;
    }

    /// <summary>The columns of the table that is asked for, and of those that are joined to it.</summary>
    public Dictionary<Table, IReadOnlyList<Column>> Resolve(IReadOnlyList<Table> joined)
    {
        var columns = new Dictionary<Table, IReadOnlyList<Column>>();
        var included = Find(_included, joined);
        var excluded = Find(_excluded, joined);
        foreach (var each in joined.Prepend(table))
        {
            var hasAll = !included.Contains(each) && !(isMoved && included.Count > 0);
            columns[each] = [.. (hasAll ? each.Columns : included[each].Distinct()).Except(excluded[each])];
        }

        return columns;
    }

    private ILookup<Table, Column> Find(IEnumerable<string> names, IReadOnlyList<Table> joined) => names
        .SelectMany(name => Find(name, joined))
        .ToLookup(found => found.Table, found => found.Column);

    private (Table Table, Column Column)[] Find(string name, IReadOnlyList<Table> joined)
    {
        (Table, Column)[] found =
        [
            .. from each in joined.Prepend(table)
            from column in each.Columns
            where name == "*.*" || name == $"{each.Name}.*" || name == $"{each.Name}.{column.Name}"
                || (each == table && (name == "*" || name == column.Name))
            select (each, column),
        ];
        if (found.Length == 0)
        {
            Refuse.UnknownColumn(table, name);
        }

        return found;
    }
}
