using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

internal sealed record SortKey(Column Column, bool IsDescending);
