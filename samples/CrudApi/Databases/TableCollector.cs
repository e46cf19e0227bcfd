using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>Puts the rows of a catalogue, one for each column, together as tables.</summary>
/// <param name="quote">How a name is written in SQL.</param>
internal sealed class TableCollector(Func<string, string> quote)
{
    private readonly List<Table> _tables = [];
    private readonly List<Column> _columns = [];
    private string? _table;
    private string? _key;
    private bool _isReadOnly;

    /// <param name="table">The columns of a table come one after the other.</param>
    /// <param name="isKey">It alone is the primary key.</param>
    public void Add(string table, bool isReadOnly, Column column, bool isKey)
    {
        if (table != _table)
        {
            Close();
            (_table, _isReadOnly, _key) = (table, isReadOnly, null);
        }

        _columns.Add(column);
        _key = isKey ? column.Name : _key;
    }

    public Catalogue ToCatalogue()
    {
        Close();
        return new Catalogue(_tables);
    }

    private void Close()
    {
        if (_table is not null)
        {
            _tables.Add(new Table(_table, quote(_table), _isReadOnly, [.. _columns], _key));
            _columns.Clear();
        }
    }
}
