using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>One condition on one column.</summary>
/// <param name="Values">As many as the operator needs, see <see cref="ColumnValue"/>.</param>
internal sealed record Filter(Column Column, FilterOperator Operator, bool IsNegated, IReadOnlyList<object> Values);
