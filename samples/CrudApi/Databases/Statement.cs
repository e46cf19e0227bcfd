namespace CrudApiSample.Databases;

/// <summary>SQL and the values of its parameters, in their order; null is SQL's NULL.</summary>
public readonly record struct Statement(string Text, IReadOnlyList<object?> Values);
