using System.Buffers;
using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Records;

/// <summary>Puts the records of other tables into records, with one statement for each table.</summary>
internal sealed class JoinReader(Database database, IOptions<ApiOptions> options)
{
    private readonly int _maxRecords = options.Value.MaxJoinedRecords;

    /// <summary>The record of the current row.</summary>
    public JsonObject ReadRecord(DbDataReader reader, IReadOnlyList<Column> columns)
    {
        var record = new JsonObject();
        for (var i = 0; i < columns.Count; i++)
        {
            record[columns[i].Name] = ReadValue(reader, i, columns[i]);
        }

        return record;
    }

    /// <summary>Adds the joined records, and to those what is joined to them.</summary>
    public async Task AddAsync(
        Session session,
        IReadOnlyList<JsonObject> records,
        IReadOnlyList<Join> joins,
        CancellationToken cancellationToken)
    {
        // All values first: a joined record takes the place of the value that it was found by.
        var all = joins
            .SelectMany(join => join.Relations.Select(relation =>
                (join, relation, keys: records.Select(record => record[relation.From.Name]?.ToJsonString()).ToArray())))
            .ToArray();
        foreach (var (join, relation, keys) in all)
        {
            var joined = await ReadAsync(session, join, relation, keys, cancellationToken);
            await AddAsync(session, [.. joined.Select(pair => pair.Record)], join.Joins, cancellationToken);
            var byKey = joined.ToLookup(pair => pair.Key, pair => pair.Record, StringComparer.Ordinal);
            for (var i = 0; i < records.Count; i++)
            {
                Put(records[i], join, relation, keys[i] is { } key ? byKey[key] : []);
            }
        }
    }

    private async Task<List<(string Key, JsonObject Record)>> ReadAsync(
        Session session, Join join, Relation relation, string?[] keys, CancellationToken cancellationToken)
    {
        var key = relation is Relation.Through through ? through.LinkFrom : relation.To;
        var texts = keys.OfType<string>().Distinct(StringComparer.Ordinal);
        List<object> values = [.. texts.SelectMany(text => Parse(key, text))];
        if (values.Count == 0)
        {
            return [];
        }

        // Statements stay prepared, so there are few lengths of lists.
        while (!int.IsPow2(values.Count))
        {
            values.Add(values[^1]);
        }

        var statement = new SqlWriter(database).Joined(join, relation, values, _maxRecords + 1);
        await using var reader = await session.QueryAsync(statement, cancellationToken);
        var records = new List<(string, JsonObject)>();
        while (await reader.ReadAsync(cancellationToken))
        {
            var found = ReadValue(reader, join.Columns.Count, key)!.ToJsonString();
            records.Add((found, ReadRecord(reader, join.Columns)));
        }

        if (records.Count > _maxRecords)
        {
            Refuse.Query(
                JoinParser.Parameter,
                $"More than {_maxRecords} records of '{join.Table.Name}' would be joined: ask for a smaller page.");
        }

        return records;
    }

    private static void Put(JsonObject record, Join join, Relation relation, IEnumerable<JsonObject> joined)
    {
        if (relation is Relation.BelongsTo)
        {
            // Many records may refer to the same one.
            if (joined.FirstOrDefault() is { } one)
            {
                record[relation.From.Name] = one.DeepClone();
            }

            return;
        }

        if (record[join.Table.Name] is not JsonArray list)
        {
            record[join.Table.Name] = list = [];
        }

        foreach (var one in joined)
        {
            list.Add(one.DeepClone());
        }
    }

    private static IEnumerable<object> Parse(Column column, string json)
    {
        using var document = JsonDocument.Parse(json);
        return JsonValue.TryRead(column, document.RootElement, out var value) ? [value!] : [];
    }

    private JsonNode? ReadValue(DbDataReader reader, int ordinal, Column column)
    {
        var value = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(value);
        database.WriteValue(json, reader, ordinal, column);
        json.Flush();
        return JsonNode.Parse(value.WrittenSpan);
    }
}
