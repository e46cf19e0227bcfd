using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Queries;
using CrudApiSample.Records;

namespace CrudApiSample.Description;

/// <summary>Reads the first record of each table, so that the description shows real values.</summary>
internal sealed partial class ExampleRecords(Database database, RecordRows rows, ILogger<ExampleRecords> logger)
{
    private const int MaxTables = 50;
    private const int MaxTextLength = 60;

    /// <summary>By table; empty tables have none, and views, which may take long, are not asked.</summary>
    public async Task<IReadOnlyDictionary<string, JsonObject>> ReadAsync(
        Catalogue catalogue, CancellationToken cancellationToken)
    {
        var records = new Dictionary<string, JsonObject>(StringComparer.Ordinal);
        var tables = catalogue.Tables.Where(table => !table.IsReadOnly && table.Operations.HasFlag(Operations.Read));
        await using var session = await database.OpenAsync(cancellationToken);
        foreach (var table in tables.Take(MaxTables))
        {
            try
            {
                if (await ReadAsync(session, table, cancellationToken) is { } record)
                {
                    records[table.Name] = record;
                }
            }
            catch (DbException e)
            {
                // The rights of the database's user may leave a table out.
                LogUnreadable(logger, table.Name, e.Message);
            }
        }

        return records;
    }

    private async Task<JsonObject?> ReadAsync(Session session, Table table, CancellationToken cancellationToken)
    {
        var first = new ListQuery(
            new FilterTree(), [], table.Columns, [], Page: 1, PageSize: 1, IsCounted: false, IsCsv: false);
        var statement = new SqlWriter(database).List(table, first);
        var records = await rows.ReadAsync(session, statement, table.Columns, isMoved: false, cancellationToken);
        if (records.FirstOrDefault() is not { } record)
        {
            return null;
        }

        foreach (var column in table.Columns)
        {
            if (record[column.Name] is { } value && value.GetValueKind() == JsonValueKind.String
                && value.GetValue<string>() is var text && text.Length > MaxTextLength)
            {
                record[column.Name] = $"{text[..MaxTextLength]}…";
            }
        }

        return record;
    }

    [LoggerMessage(21, LogLevel.Information, "Table {Table} has no example: {Reason}")]
    private static partial void LogUnreadable(ILogger logger, string table, string reason);
}
