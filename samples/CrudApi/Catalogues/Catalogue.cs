using System.Collections.Frozen;

namespace CrudApiSample.Catalogues;

/// <summary>The tables and views of a database at one moment.</summary>
public sealed class Catalogue(IEnumerable<Table> tables)
{
    private readonly FrozenDictionary<string, Table> _byName =
        tables.ToFrozenDictionary(table => table.Name, StringComparer.Ordinal);

    /// <summary>By name.</summary>
    public IEnumerable<Table> Tables => _byName.Values.OrderBy(table => table.Name, StringComparer.Ordinal);

    public int Count => _byName.Count;

    public Table? Find(string name) => _byName.GetValueOrDefault(name);
}
