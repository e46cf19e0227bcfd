using System.Collections.Frozen;
using CrudApiSample.Problems;

namespace CrudApiSample.Catalogues;

/// <summary>A table or view as the database's catalogue describes it.</summary>
/// <param name="quoted">The name in SQL.</param>
/// <param name="isReadOnly">A view.</param>
/// <param name="key">The name of the only column of the primary key; null when there is none, or it is hidden.</param>
public sealed class Table(string name, string quoted, bool isReadOnly, IReadOnlyList<Column> columns, string? key)
{
    private readonly FrozenDictionary<string, Column> _byName =
        columns.ToFrozenDictionary(column => column.Name, StringComparer.Ordinal);

    public string Name => name;

    public string Quoted => quoted;

    public bool IsReadOnly => isReadOnly;

    /// <summary>What the configuration allows. A view can be read only.</summary>
    public Operations Operations { get; private set; } = isReadOnly ? Operations.Read : Operations.All;

    public IReadOnlyList<Column> Columns => columns;

    /// <summary>What records are addressed by; null when the primary key has no or several columns.</summary>
    public Column? Key => key is null ? null : Find(key);

    /// <summary>The table for those who may do no more than this with it.</summary>
    public Table Restrict(Operations allowed)
    {
        var copy = (Table)MemberwiseClone();
        copy.Operations &= allowed;
        return copy;
    }

    /// <summary>The table with rules for its columns.</summary>
    public Table Apply(IReadOnlyDictionary<string, ColumnRule> rules)
    {
        var kept = Columns.Where(column => !Has(column, ColumnRule.Hidden)).Select(column => column with
        {
            Kind = Has(column, ColumnRule.Json) ? ColumnKind.Json : column.Kind,
            IsComputed = column.IsComputed || Has(column, ColumnRule.ReadOnly),
        });
        return new Table(Name, Quoted, IsReadOnly, [.. kept], Key?.Name);

        bool Has(Column column, ColumnRule rule) =>
            rules.TryGetValue(column.Name, out var value) && value.HasFlag(rule);
    }

    public Column? Find(string column) => _byName.GetValueOrDefault(column);

    /// <summary>Refuses the request if there is no such column.</summary>
    public Column Get(string column)
    {
        var found = Find(column);
        if (found is null)
        {
            Refuse.UnknownColumn(this, column);
        }

        return found;
    }
}

/// <summary>What may be done with the records of a table.</summary>
[Flags]
public enum Operations
{
    None = 0,

    /// <summary>GET and HEAD.</summary>
    Read = 1,

    /// <summary>POST.</summary>
    Create = 2,

    /// <summary>PUT and PATCH.</summary>
    Update = 4,

    /// <summary>DELETE.</summary>
    Delete = 8,

    All = Read | Create | Update | Delete,
}
