using System.Collections.Frozen;

namespace CrudApiSample.Catalogues;

/// <summary>A table or view as the database's catalogue describes it.</summary>
public sealed class Table
{
    private readonly FrozenDictionary<string, Column> _byName;

    /// <param name="key">The name of the only column of the primary key; null when there is none.</param>
    public Table(string name, string quoted, bool isReadOnly, IReadOnlyList<Column> columns, string? key)
    {
        Name = name;
        Quoted = quoted;
        IsReadOnly = isReadOnly;
        Columns = columns;
        _byName = columns.ToFrozenDictionary(column => column.Name, StringComparer.Ordinal);
        Key = key is null ? null : _byName[key];
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

    public Column? Find(string column) => _byName.GetValueOrDefault(column);
}
