using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
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

/// <summary>Three queries to click, for whatever tables there are.</summary>
internal static partial class ExampleQueries
{
    /// <param name="records">One of each table, if they may be shown.</param>
    /// <returns>Objects with a <c>title</c> and a <c>target</c>, which begins with a slash.</returns>
    public static JsonArray Write(Catalogue catalogue, IReadOnlyDictionary<string, JsonObject> records)
    {
        Table[] tables = [.. catalogue.Tables.Where(table =>
            table.Operations.HasFlag(Operations.Read) && table.Key is not null && IsPlain(table.Name))];
        var main = tables.MaxBy(table => Score(table, tables));
        if (main is null)
        {
            return [];
        }

        var last = Query($"The last records of {main.Name}", $"/{main.Name}?order={main.Key!.Name},desc&size=3");
        return Label(main) is { } label
            ? [last, Search(main, label, records.GetValueOrDefault(main.Name)), .. Join(main, label, tables)]
            : [last];
    }

    private static JsonObject Search(Table table, Column label, JsonObject? record)
    {
        var word = record?[label.Name] is JsonValue value && value.TryGetValue<string>(out var text)
            ? Word().Match(text).Value
            : "";
        return word.Length > 0
            ? Query(
                $"Search {table.Name} for “{word}”",
                $"/{table.Name}?search={word}&columns={table.Key!.Name},{label.Name}")
            : Query(
                $"Only {label.Name} of {table.Name}, sorted",
                $"/{table.Name}?columns={label.Name}&order={label.Name}");
    }

    private static IEnumerable<JsonObject> Join(Table table, Column label, Table[] tables)
    {
        var others = tables.Where(other => other != table && Label(other) is not null);
        var related = others.FirstOrDefault(other => RefersTo(other, table))
            ?? others.FirstOrDefault(other => RefersTo(table, other));
        if (related is not null)
        {
            yield return Query(
                $"Join {table.Name} with {related.Name}",
                $"/{table.Name}?join={related.Name}&columns={label.Name},{related.Name}.{Label(related)!.Name}&size=2");
        }
    }

    private static JsonObject Query(string title, string target) => new() { ["title"] = title, ["target"] = target };

    /// <summary>Most to tables that others refer to: those have something to join.</summary>
    private static int Score(Table table, Table[] tables) =>
        (2 * tables.Count(other => RefersTo(other, table))) + tables.Count(other => RefersTo(table, other));

    private static bool RefersTo(Table table, Table other) =>
        table.Columns.Any(column => column.References?.Table == other.Name);

    /// <summary>The column that tells a reader which record it is.</summary>
    private static Column? Label(Table table)
    {
        var texts = table.Columns.Where(column => column.Kind == ColumnKind.Text && IsPlain(column.Name));
        return texts.FirstOrDefault(column => !column.IsNullable) ?? texts.FirstOrDefault();
    }

    private static bool IsPlain(string name) => PlainName().IsMatch(name);

    // Others would have to be escaped, and a comma in one could not be.
    [GeneratedRegex("^[A-Za-z0-9_]+$")]
    private static partial Regex PlainName();

    [GeneratedRegex("[A-Za-z]{3,}")]
    private static partial Regex Word();
}
