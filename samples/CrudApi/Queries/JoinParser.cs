using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>Reads <c>join=comments,users</c>: the tables on the way from the one that is asked for.</summary>
/// <param name="table">That table.</param>
internal sealed class JoinParser(Catalogue catalogue, Table table)
{
    public const string Parameter = "join";

    private const int MaxJoins = 10;

    private readonly List<Join> _all = [];
    private readonly List<Join> _joins = [];

    /// <returns>False for another parameter.</returns>
    public bool TryRead(string parameter, string text)
    {
        if (parameter != Parameter)
        {
            return false;
        }

        var names = text.Split(',');
        if (names.Length > RelatedTable.MaxDepth)
        {
            Refuse.Query(Parameter, $"A join leads over {RelatedTable.MaxDepth} tables at most.");
        }

        var (from, joins) = (table, _joins);
        foreach (var name in names)
        {
            var join = joins.Find(known => known.Table.Name == name) ?? Add(from, joins, name);
            (from, joins) = (join.Table, join.Joins);
        }

        return true;
    }

    /// <summary>The joins, with the columns of each table that are wanted or that join it.</summary>
    /// <param name="columns">Of the table that is asked for; on return with those that join it.</param>
    public IReadOnlyList<Join> ToList(ColumnChoice choice, out IReadOnlyList<Column> columns)
    {
        var chosen = choice.Resolve([.. _all.Select(join => join.Table)]);
        columns = WithKeys(chosen[table], _joins, []);
        foreach (var join in _all)
        {
            join.Columns = WithKeys(chosen[join.Table], join.Joins, join.Relations);
        }

        if (columns.Count == 0)
        {
            Refuse.Query("exclude", "The request excludes every column that it includes.");
        }

        return _joins;
    }

    private Join Add(Table from, List<Join> joins, string name)
    {
        if (_all.Count == MaxJoins)
        {
            Refuse.Query(Parameter, $"A request joins {MaxJoins} tables at most.");
        }

        var (other, relations) = RelatedTable.Find(catalogue, from, name, Parameter);
        var join = new Join(other, relations);
        _all.Add(join);
        joins.Add(join);
        return join;
    }

    private static Column[] WithKeys(
        IReadOnlyList<Column> columns, List<Join> joins, IReadOnlyList<Relation> relations) =>
    [
        .. columns
            .Union(relations.Select(relation => relation.To))
            .Union(joins.SelectMany(join => join.Relations).Select(relation => relation.From)),
    ];
}

/// <summary>A table whose records are wanted with those of another.</summary>
internal sealed class Join(Table table, IReadOnlyList<Relation> relations)
{
    public Table Table => table;

    public IReadOnlyList<Relation> Relations => relations;

    /// <summary>What is joined to this table in turn.</summary>
    public List<Join> Joins { get; } = [];

    /// <summary>The columns that the answer shows.</summary>
    public IReadOnlyList<Column> Columns { get; set; } = table.Columns;
}
