using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>What a request wants of a table.</summary>
/// <param name="Columns">In their order.</param>
/// <param name="Page">From 1.</param>
/// <param name="IsCounted">The number of all records that match is wanted too.</param>
/// <param name="IsCsv">The records are wanted as CSV instead of JSON, which has no place for joins and numbers.</param>
internal sealed record ListQuery(
    FilterTree Filters,
    IReadOnlyList<SortKey> Order,
    IReadOnlyList<Column> Columns,
    IReadOnlyList<Join> Joins,
    int Page,
    int PageSize,
    bool IsCounted,
    bool IsCsv);

internal sealed record SortKey(Column Column, bool IsDescending);
