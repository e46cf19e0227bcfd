using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>One condition on one column.</summary>
/// <param name="Path">The tables on the way to the column; none for a column of the table that is asked for.</param>
/// <param name="Values">As many as the operator needs, see <see cref="ColumnValue"/>.</param>
internal sealed record Filter(
    IReadOnlyList<RelatedTable> Path,
    Column Column,
    FilterOperator Operator,
    bool IsNegated,
    IReadOnlyList<object> Values);
