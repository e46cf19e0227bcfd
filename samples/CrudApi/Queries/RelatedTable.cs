using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>A table, and how the records of another find its own.</summary>
internal sealed record RelatedTable(Table Table, IReadOnlyList<Relation> Relations)
{
    /// <summary>The most tables that a join or a filter leads over.</summary>
    public const int MaxDepth = 3;

    /// <summary>Finds a table that a request names, and how it is related to another.</summary>
    /// <param name="parameter">Of the query string, for the refusal.</param>
    public static RelatedTable Find(Catalogue catalogue, Table from, string name, string parameter)
    {
        var table = catalogue.Find(name);
        if (table is null || !table.Operations.HasFlag(Operations.Read))
        {
            Refuse.UnknownTable(name);
        }

        var relations = Relation.Between(catalogue, from, table);
        if (relations.Count == 0)
        {
            Refuse.Query(parameter, $"No foreign keys join '{table.Name}' to '{from.Name}'.");
        }

        return new RelatedTable(table, relations);
    }
}
