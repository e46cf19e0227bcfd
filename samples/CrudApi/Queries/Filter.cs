using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>One condition on one column.</summary>
/// <param name="Path">The tables on the way to the column; none for a column of the table that is asked for.</param>
/// <param name="Operator">Without the <c>n</c> that negates it.</param>
/// <param name="Values">As many as the operator needs, see <see cref="ColumnValue"/>.</param>
internal sealed record Filter(
    IReadOnlyList<RelatedTable> Path,
    Column Column,
    string Operator,
    bool IsNegated,
    IReadOnlyList<object> Values);

/// <summary>Filters that all have to hold, and branches of which one has to hold.</summary>
internal sealed class FilterTree
{
    private readonly List<Filter> _filters = [];
    private readonly SortedDictionary<string, FilterTree> _branches = new(StringComparer.Ordinal);

    private readonly List<FilterTree> _others = [];

    public FilterTree(params ReadOnlySpan<Filter> filters) => _filters.AddRange(filters);

    public IReadOnlyList<Filter> Filters => _filters;

    public IReadOnlyCollection<FilterTree> Branches => _branches.Values;

    /// <summary>Trees that have to hold as well.</summary>
    public IReadOnlyList<FilterTree> Others => _others;

    public bool IsEmpty => _filters.Count == 0 && _branches.Count == 0 && _others.Count == 0;

    /// <param name="path">The names of the branches down to the filter: none for one that has to hold anyway.</param>
    public void Add(Filter filter, params ReadOnlySpan<string> path)
    {
        if (path.IsEmpty)
        {
            _filters.Add(filter);
            return;
        }

        if (!_branches.TryGetValue(path[0], out var branch))
        {
            _branches.Add(path[0], branch = new FilterTree());
        }

        branch.Add(filter, path[1..]);
    }

    public void Add(FilterTree other) => _others.Add(other);
}
