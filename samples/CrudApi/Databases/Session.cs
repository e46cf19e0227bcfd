using System.Data.Common;
using CrudApiSample.Catalogues;
using CrudApiSample.Queries;

namespace CrudApiSample.Databases;

/// <summary>SQL and the values of its parameters, in their order; null is SQL's NULL.</summary>
public readonly record struct Statement(string Text, IReadOnlyList<object?> Values);

/// <summary>A connection for the time of a request.</summary>
/// <param name="parameterName">Of a number, from 1; null where parameters have no names.</param>
public sealed class Session(DbConnection connection, Func<int, string>? parameterName) : IAsyncDisposable
{
    private readonly List<DbCommand> _commands = [];
    private DbTransaction? _transaction;

    /// <summary>
    /// Makes the database prepare commands, where the driver does not do so by itself. The statements stay until the
    /// connection is reset.
    /// </summary>
    public bool Prepares { get; init; }

    /// <summary>Held by a transaction, where only one of them may be open.</summary>
    public SemaphoreSlim? Writing { get; init; }

    public Task OpenAsync(CancellationToken cancellationToken) => connection.OpenAsync(cancellationToken);

    public async Task<DbDataReader> QueryAsync(Statement statement, CancellationToken cancellationToken)
    {
        var command = connection.CreateCommand();
        if (!Prepares)
        {
            _commands.Add(command);
        }

        // What is not a parameter in it comes from the catalogue: see Queries.SqlWriter.
#pragma warning disable CA2100 // Review SQL queries for security vulnerabilities
        command.CommandText = statement.Text;
#pragma warning restore CA2100
        command.Transaction = _transaction;
        for (var i = 0; i < statement.Values.Count; i++)
        {
            var parameter = command.CreateParameter();
            parameter.Value = statement.Values[i] ?? DBNull.Value;
            if (parameterName is not null)
            {
                parameter.ParameterName = parameterName(i + 1);
            }

            command.Parameters.Add(parameter);
        }

        if (Prepares)
        {
            await command.PrepareAsync(cancellationToken);
        }

        return await command.ExecuteReaderAsync(cancellationToken);
    }

    /// <returns>How many records were found and changed.</returns>
    public async Task<int> ExecuteAsync(Statement statement, CancellationToken cancellationToken)
    {
        await using var reader = await QueryAsync(statement, cancellationToken);
        return reader.RecordsAffected;
    }

    public async Task BeginAsync(CancellationToken cancellationToken)
    {
        await (Writing?.WaitAsync(cancellationToken) ?? Task.CompletedTask);
        try
        {
            _transaction = await connection.BeginTransactionAsync(cancellationToken);
        }
        catch
        {
            Writing?.Release();
            throw;
        }
    }

    public Task CommitAsync(CancellationToken cancellationToken) => _transaction!.CommitAsync(cancellationToken);

    /// <summary>Rolls back what was not committed and gives the connection back.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var command in _commands)
        {
            await command.DisposeAsync();
        }

        if (_transaction is not null)
        {
            await _transaction.DisposeAsync();
            Writing?.Release();
        }

        await connection.DisposeAsync();
    }
}

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
