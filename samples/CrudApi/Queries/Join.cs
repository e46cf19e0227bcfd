using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

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
