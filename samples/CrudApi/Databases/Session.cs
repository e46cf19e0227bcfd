using System.Data.Common;

namespace CrudApiSample.Databases;

/// <summary>SQL and the values of its parameters, in their order; null is SQL's NULL.</summary>
public readonly record struct Statement(string Text, IReadOnlyList<object?> Values);

/// <summary>A connection for the time of a request.</summary>
/// <param name="parameterName">Of a number, from 1; null where parameters have no names.</param>
public sealed class Session(DbConnection connection, Func<int, string>? parameterName) : IAsyncDisposable
{
    private readonly List<DbCommand> _commands = [];
    private DbTransaction? _transaction;

    /// <summary>Makes the database prepare commands, where the driver does not do so by itself.</summary>
    public bool Prepares { get; init; }

    /// <summary>Held by a transaction, where only one of them may be open.</summary>
    public SemaphoreSlim? Writing { get; init; }

    public async Task<DbDataReader> QueryAsync(Statement statement, CancellationToken cancellationToken)
    {
        var command = connection.CreateCommand();
        _commands.Add(command);
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
