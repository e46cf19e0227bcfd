using System.Collections.Frozen;

namespace CrudApiSample.Catalogues;

/// <summary>The tables and views of a database at one moment.</summary>
public sealed class Catalogue(IEnumerable<Table> tables)
{
    private readonly FrozenDictionary<string, Table> _byName =
        tables.ToFrozenDictionary(table => table.Name, StringComparer.Ordinal);

    /// <summary>By name.</summary>
    public IEnumerable<Table> Tables => _byName.Values.OrderBy(table => table.Name, StringComparer.Ordinal);

    /// <summary>
    /// What remains for those who may do this: tables that are not named are left out, and <c>*</c> names all others.
    /// </summary>
    /// <param name="allowed">What may be done with each; empty for everything with all.</param>
    public Catalogue Restrict(IReadOnlyDictionary<string, Operations> allowed)
    {
        if (allowed.Count == 0)
        {
            return this;
        }

        var others = allowed.GetValueOrDefault("*");
        return new Catalogue(Tables
            .Select(table => table.Restrict(allowed.GetValueOrDefault(table.Name, others)))
            .Where(table => table.Operations != Operations.None));
    }

    /// <summary>What remains with the rules for columns, each of which has to name one.</summary>
    public Catalogue Apply(IReadOnlyDictionary<string, Dictionary<string, ColumnRule>> rules)
    {
        foreach (var (table, columns) in rules)
        {
            foreach (var (name, rule) in columns)
            {
                // A rule without effect would publish the column.
                var column = Find(table)?.Find(name) ?? throw new InvalidOperationException(
                    $"The setting Api:Columns:{table}:{name} names a column that the database does not have.");
                if (rule.HasFlag(ColumnRule.Json) && column.Kind != ColumnKind.Text)
                {
                    throw new InvalidOperationException(
                        $"The setting Api:Columns:{table}:{name} is Json, but the column holds no text.");
                }
            }
        }

        return new Catalogue(Tables.Select(
            table => rules.TryGetValue(table.Name, out var columns) ? table.Apply(columns) : table));
    }

    public Table? Find(string name) => _byName.GetValueOrDefault(name);
}
