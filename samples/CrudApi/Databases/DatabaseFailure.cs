namespace CrudApiSample.Databases;

/// <summary>What a database's error means to the client.</summary>
public enum DatabaseFailure
{
    /// <summary>Nothing that the client could do about it.</summary>
    Unknown,

    /// <summary>There is such a value already.</summary>
    Duplicate,

    /// <summary>The other end of a foreign key is missing, or would be.</summary>
    Reference,

    /// <summary>A value that the column or a constraint does not take.</summary>
    Value,

    /// <summary>An operator that the type of a column does not have.</summary>
    Operator,

    /// <summary>The database's user may not do that.</summary>
    Denied,

    /// <summary>The database cannot be reached, or is busy.</summary>
    Unavailable,
}
