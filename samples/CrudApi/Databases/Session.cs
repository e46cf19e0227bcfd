using System.Data.Common;

namespace CrudApiSample.Databases;

/// <summary>A connection for the time of a request, with the commands that were made on it.</summary>
public class Session(DbConnection connection, Func<int, string>? parameterName) : IAsyncDisposable
{
    private readonly Dictionary<string, DbCommand> _commands = new(StringComparer.Ordinal);
    private DbTransaction? _transaction;

    protected int CommandCount => _commands.Count;

    public Task<DbDataReader> QueryAsync(Statement statement, CancellationToken cancellationToken)
    {
        var command = GetCommand(statement.Text, statement.Values.Count, out var isNew);
        for (var i = 0; i < statement.Values.Count; i++)
        {
            command.Parameters[i].Value = statement.Values[i] ?? DBNull.Value;
        }

        return ExecuteAsync(command, isNew, cancellationToken);
    }

    /// <returns>How many records were found and changed.</returns>
    public async Task<int> ExecuteAsync(Statement statement, CancellationToken cancellationToken)
    {
        await using var reader = await QueryAsync(statement, cancellationToken);
        return reader.RecordsAffected;
    }

    public virtual async Task BeginAsync(CancellationToken cancellationToken) =>
        _transaction = await connection.BeginTransactionAsync(cancellationToken);

    public async Task CommitAsync(CancellationToken cancellationToken)
    {
        await _transaction!.CommitAsync(cancellationToken);
        await EndTransactionAsync();
    }

    /// <summary>Rolls back what was not committed and gives the connection back.</summary>
    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await EndTransactionAsync();
        await ReleaseAsync();
    }

    protected virtual ValueTask ReleaseAsync()
    {
        DisposeCommands();
        return connection.DisposeAsync();
    }

    protected virtual async ValueTask EndTransactionAsync()
    {
        if (_transaction is { } transaction)
        {
            _transaction = null;
            await transaction.DisposeAsync();
        }
    }

    protected void DisposeCommands()
    {
        foreach (var command in _commands.Values)
        {
            command.Dispose();
        }

        _commands.Clear();
    }

    /// <summary>Makes the database prepare a new command, where the driver does not do so by itself.</summary>
    protected virtual Task PrepareAsync(DbCommand command, CancellationToken cancellationToken) => Task.CompletedTask;

    private async Task<DbDataReader> ExecuteAsync(DbCommand command, bool isNew, CancellationToken cancellationToken)
    {
        command.Transaction = _transaction;
        if (isNew)
        {
            // Not before the values are known: drivers tell the types of the parameters by them.
            await PrepareAsync(command, cancellationToken);
        }

        return await command.ExecuteReaderAsync(cancellationToken);
    }

    private DbCommand GetCommand(string text, int parameters, out bool isNew)
    {
        isNew = !_commands.TryGetValue(text, out var command);
        if (isNew)
        {
            command = connection.CreateCommand();
            // What is not a parameter in it comes from the catalogue: see Queries.SqlWriter.
#pragma warning disable CA2100 // Review SQL queries for security vulnerabilities
            command.CommandText = text;
#pragma warning restore CA2100
            for (var number = 1; number <= parameters; number++)
            {
                var parameter = command.CreateParameter();
                if (parameterName is not null)
                {
                    parameter.ParameterName = parameterName(number);
                }

                command.Parameters.Add(parameter);
            }

            _commands.Add(text, command);
        }

        return command!;
    }
}
