using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Queries;

/// <summary>How the records of one table find those of another.</summary>
/// <param name="From">A column of the first table.</param>
/// <param name="To">The column of the other table that has the same value.</param>
internal abstract record Relation(Column From, Column To)
{
    /// <summary>A column refers to the other table, whose record takes the place of the value.</summary>
    public sealed record BelongsTo(Column From, Column To) : Relation(From, To);

    /// <summary>The other table refers to this one: a list of records.</summary>
    public sealed record HasMany(Column From, Column To) : Relation(From, To);

    /// <summary>A third table refers to both: a list of records.</summary>
    public sealed record Through(Column From, Table Link, Column LinkFrom, Column LinkTo, Column To)
        : Relation(From, To);

    /// <summary>By foreign keys; a third table is looked for when none joins the two.</summary>
    public static IReadOnlyList<Relation> Between(Catalogue catalogue, Table from, Table to)
    {
        Relation[] direct =
        [
            .. Pairs(from, to).Select(pair => new BelongsTo(pair.Reference, pair.Target)),
            .. Pairs(to, from).Select(pair => new HasMany(pair.Target, pair.Reference)),
        ];
        return direct.Length > 0
            ? direct
            : [.. catalogue.Tables.SelectMany(link => LinkedBy(link, from, to)).Take(1)];
    }

    private static IEnumerable<Through> LinkedBy(Table link, Table first, Table second) =>
        from one in Pairs(link, first)
        from other in Pairs(link, second)
        where one.Reference != other.Reference
        select new Through(one.Target, link, one.Reference, other.Reference, other.Target);

    private static IEnumerable<(Column Reference, Column Target)> Pairs(Table table, Table other) =>
        from column in table.Columns
        where column.References?.Table == other.Name
        let target = other.Find(column.References!.Column)
        where target is not null
        select (column, target);
}

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
