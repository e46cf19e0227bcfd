using System.Data.Common;
using System.Globalization;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Databases;

/// <summary>One kind of database: how it is reached, how its SQL is written, what its types are in JSON.</summary>
public abstract class Database : IAsyncDisposable
{
    private const int DateLength = 10;

    // The writer takes 1000 levels, and the answer has some around it.
    private static readonly JsonDocumentOptions _json = new() { MaxDepth = 900 };

    /// <summary>For people.</summary>
    public abstract string Name { get; }

    /// <summary>The operator that finds a text without regard to case.</summary>
    public virtual string Like => "LIKE";

    /// <summary>What follows the table in an INSERT that sets no column.</summary>
    public virtual string NoValues => "DEFAULT VALUES";

    public virtual async ValueTask<Session> OpenAsync(CancellationToken cancellationToken)
    {
        var session = CreateSession();
        try
        {
            await session.OpenAsync(cancellationToken);
            return session;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    /// <summary>With a connection that is not open yet.</summary>
    protected abstract Session CreateSession();

    /// <summary>Selects a row for each column, those of a table one after the other.</summary>
    protected abstract string CatalogueQuery { get; }

    /// <summary>The column of the current row of the catalogue. Its table is the first field.</summary>
    /// <param name="isReadOnly">The table is a view.</param>
    /// <param name="isKey">It alone is the primary key.</param>
    protected abstract Column ReadColumn(DbDataReader reader, out bool isReadOnly, out bool isKey);

    /// <summary>A name in standard SQL.</summary>
    public static string QuoteName(string name) => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    protected virtual string Quote(string name) => QuoteName(name);

    public async Task<Catalogue> ReadCatalogueAsync(CancellationToken cancellationToken)
    {
        await using var session = await OpenAsync(cancellationToken);
        await using var reader = await session.QueryAsync(new Statement(CatalogueQuery, []), cancellationToken);
        var rows = new List<(string Table, Column Column, bool IsReadOnly, bool IsKey)>();
        while (await reader.ReadAsync(cancellationToken))
        {
            var column = ReadColumn(reader, out var isReadOnly, out var isKey);
            rows.Add((reader.GetString(0), column, isReadOnly, isKey));
        }

        return new Catalogue(rows.GroupBy(row => row.Table, StringComparer.Ordinal).Select(table => new Table(
            table.Key,
            Quote(table.Key),
            table.First().IsReadOnly,
            // Two foreign keys on one column make two rows of it; the first is enough.
            [.. table.Select(row => row.Column).DistinctBy(column => column.Name)],
            table.FirstOrDefault(row => row.IsKey).Column?.Name)));
    }

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

    /// <summary>The field of the current row, which was selected by <see cref="Column.Selected"/>.</summary>
    public JsonNode? Read(DbDataReader reader, int ordinal, Column column) =>
        reader.IsDBNull(ordinal) ? null : ReadValue(reader, ordinal, column);

    /// <summary>A field that is not null.</summary>
    protected abstract JsonNode? ReadValue(DbDataReader reader, int ordinal, Column column);

    /// <summary>Infinities and NaN, which JSON does not have, become strings.</summary>
    protected static JsonNode ReadNumber<T>(T number)
        where T : IFloatingPoint<T> =>
        T.IsFinite(number) ? JsonValue.Create(number)! : number.ToString(null, CultureInfo.InvariantCulture);

    /// <summary><c>2024-01-31 23:59:59.500000</c> as <c>2024-01-31T23:59:59.5</c>, anything else as it is.</summary>
    protected static string ReadTime(string text)
    {
        if (text.Length > DateLength && text[DateLength] == ' ')
        {
            text = $"{text[..DateLength]}T{text[(DateLength + 1)..]}";
        }

        return text.Contains('.') ? text.TrimEnd('0').TrimEnd('.') : text;
    }

    /// <summary>JSON in a text, or the text itself where it is none.</summary>
    protected static JsonNode? ReadJson(string text)
    {
        try
        {
            return JsonNode.Parse(text, documentOptions: _json);
        }
        catch (JsonException)
        {
            return text;
        }
    }

    /// <summary>A date or time of .NET as databases take it: a fraction only where there is one.</summary>
    protected static object FormatTime(object value) => value switch
    {
        DateOnly date => date.ToString("O", CultureInfo.InvariantCulture),
        DateTime time => time.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture),
        TimeOnly time => time.ToString("HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture),
        _ => value,
    };

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
