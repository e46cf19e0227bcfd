using System.Data.Common;
using CrudApiSample.Catalogues;
using CrudApiSample.Queries;

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

/// <summary>The database refused to write a record.</summary>
/// <param name="table">The table of the record.</param>
/// <param name="assignments">The columns that it should get; none when it should be deleted.</param>
/// <param name="key">The record that should change or go; null when it is a new one.</param>
internal sealed class FailedWriteException(
    Table table, IReadOnlyList<ColumnAssignment> assignments, object? key, DbException inner)
    : Exception(inner.Message, inner)
{
    public Table Table => table;

    public IReadOnlyList<ColumnAssignment> Assignments => assignments;

    public object? Key => key;

    /// <summary>The number of the record in the array of the body, from 1; null when the body is no array.</summary>
    public int? Record { get; init; }

    public DbException Failure => (DbException)InnerException!;
}
