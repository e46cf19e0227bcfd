using System.Data.Common;
using System.Text.Json;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>One kind of database: how it is reached, how its SQL is written, what its types are in JSON.</summary>
public abstract class Database : IAsyncDisposable
{
    /// <summary>For people.</summary>
    public abstract string Name { get; }

    /// <summary>The operator that finds a text without regard to case.</summary>
    public virtual string Like => "LIKE";

    /// <summary>What follows the table in an INSERT that sets no column.</summary>
    public virtual string NoValues => "DEFAULT VALUES";

    public abstract ValueTask<Session> OpenAsync(CancellationToken cancellationToken);

    public abstract Task<Catalogue> ReadCatalogueAsync(CancellationToken cancellationToken);

    /// <summary>How the parameter of that number, from 1, is written in SQL.</summary>
    public abstract string Parameter(int number);

    /// <summary>The parameter as a value of the column's type.</summary>
    public virtual string Value(Column column, string parameter) => parameter;

    /// <summary>The column as a text, to find a part in.</summary>
    public virtual string TextOf(Column column) => column.Quoted;

    /// <summary>What sets the column to its default in an UPDATE.</summary>
    public virtual string DefaultOf(Column column) => "DEFAULT";

    /// <summary>A value of <see cref="Queries.ColumnValue"/> as the driver wants it.</summary>
    public abstract object ToParameter(Column column, object value);

    /// <summary>Writes the field of the current row, which was selected by <see cref="Column.Selected"/>.</summary>
    public abstract void WriteValue(Utf8JsonWriter json, DbDataReader reader, int ordinal, Column column);

    public abstract DatabaseFailure Classify(DbException exception);

    /// <summary>Names the columns whose values exist already, after <see cref="DatabaseFailure.Duplicate"/>.</summary>
    public abstract Task<IReadOnlyList<string>> ReadUniqueColumnsAsync(
        DbException exception, Table table, CancellationToken cancellationToken);

    /// <summary>The first column of all rows, which are texts.</summary>
    protected async Task<IReadOnlyList<string>> ReadTextsAsync(
        Statement statement, CancellationToken cancellationToken)
    {
        await using var session = await OpenAsync(cancellationToken);
        await using var reader = await session.QueryAsync(statement, cancellationToken);
        var texts = new List<string>();
        while (await reader.ReadAsync(cancellationToken))
        {
            texts.Add(reader.GetString(0));
        }

        return texts;
    }

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
