using System.Collections.Frozen;

namespace CrudApiSample.Catalogues;

/// <summary>A table or view as the database's catalogue describes it.</summary>
public sealed class Table
{
    private readonly FrozenDictionary<string, Column> _byName;

    /// <param name="key">The name of the only column of the primary key; null when there is none, or it is hidden.</param>
    public Table(string name, string quoted, bool isReadOnly, IReadOnlyList<Column> columns, string? key)
    {
        Name = name;
        Quoted = quoted;
        IsReadOnly = isReadOnly;
        Columns = columns;
        _byName = columns.ToFrozenDictionary(column => column.Name, StringComparer.Ordinal);
        Key = key is null ? null : _byName.GetValueOrDefault(key);
        Selected = string.Join(", ", columns.Select(column => column.Selected));
    }

    public string Name { get; }

    /// <summary>The name in SQL.</summary>
    public string Quoted { get; }

    /// <summary>A view.</summary>
    public bool IsReadOnly { get; }

    /// <summary>What the configuration allows.</summary>
    public Operations Operations { get; private set; } = Operations.All;

    public IReadOnlyList<Column> Columns { get; }

    /// <summary>What records are addressed by; null when the primary key has no or several columns.</summary>
    public Column? Key { get; }

    /// <summary>All columns, for SELECT and RETURNING.</summary>
    public string Selected { get; }

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
        var columns = Columns.Where(column => !Has(column, ColumnRule.Hidden)).Select(column => column with
        {
            Kind = Has(column, ColumnRule.Json) ? ColumnKind.Json : column.Kind,
            IsComputed = column.IsComputed || Has(column, ColumnRule.ReadOnly),
        });
        return new Table(Name, Quoted, IsReadOnly, [.. columns], Key?.Name);

        bool Has(Column column, ColumnRule rule) =>
            rules.TryGetValue(column.Name, out var value) && value.HasFlag(rule);
    }

    public Column? Find(string column) => _byName.GetValueOrDefault(column);
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
