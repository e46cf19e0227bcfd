namespace CrudApiSample.Catalogues;

/// <summary>Where the values of a column have to exist.</summary>
public sealed record ForeignKey(string Table, string Column);
