using Microsoft.Data.Sqlite;

namespace CrudApiSample.Databases;

/// <summary>
/// A connection that goes back with its prepared statements: to prepare one costs more than to run it.
/// </summary>
internal sealed class SqliteSession(SqliteConnection connection, SqliteDatabase database)
    : Session(connection, SqliteDatabase.ParameterName)
{
    // Every list of filters is a statement of its own, and must not stay for ever.
    private const int MaxCommands = 200;

    private bool _isWriting;

    public override async Task BeginAsync(CancellationToken cancellationToken)
    {
        await database.WaitToWriteAsync(cancellationToken);
        _isWriting = true;
        await base.BeginAsync(cancellationToken);
    }

    public ValueTask CloseAsync() => base.ReleaseAsync();

    protected override ValueTask ReleaseAsync()
    {
        if (CommandCount > MaxCommands)
        {
            DisposeCommands();
        }

        database.Keep(this);
        return ValueTask.CompletedTask;
    }

    protected override async ValueTask EndTransactionAsync()
    {
        await base.EndTransactionAsync();
        if (_isWriting)
        {
            _isWriting = false;
            database.EndWriting();
        }
    }
}
