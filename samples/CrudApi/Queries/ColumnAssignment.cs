using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>What a column is set to.</summary>
/// <param name="Value">Null for NULL.</param>
/// <param name="IsDefault">To its default instead, whatever that is.</param>
/// <param name="IsIncrement">To what it has and the value together.</param>
internal readonly record struct ColumnAssignment(
    Column Column, object? Value, bool IsDefault = false, bool IsIncrement = false);
