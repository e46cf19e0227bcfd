using System.Buffers;
using System.Data.Common;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Records;

/// <summary>Reads rows as JSON, with the records of other tables that are joined to them.</summary>
internal sealed class RecordRows(Database database, IOptions<ApiOptions> options)
{
    private readonly int _maxRecords = options.Value.MaxJoinedRecords;

    /// <summary>All records of a statement.</summary>
    /// <param name="isMoved">Times are written as PHP-CRUD-API does.</param>
    public async Task<List<JsonObject>> ReadAsync(
        Session session,
        Statement statement,
        IReadOnlyList<Column> columns,
        bool isMoved,
        CancellationToken cancellationToken)
    {
        var records = new List<JsonObject>();
        await using var reader = await session.QueryAsync(statement, cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            records.Add(Read(reader, columns, isMoved));
        }

        return records;
    }

    /// <summary>The record of the current row.</summary>
    public JsonObject Read(DbDataReader reader, IReadOnlyList<Column> columns, bool isMoved)
    {
        var record = new JsonObject();
        for (var i = 0; i < columns.Count; i++)
        {
            var value = database.Read(reader, i, columns[i]);
            record[columns[i].Name] = isMoved && columns[i].Kind == ColumnKind.DateTime ? Move(value) : value;
        }

        return record;
    }

    /// <summary>Adds the joined records, and to those what is joined to them.</summary>
    public async Task AddAsync(
        Session session,
        IReadOnlyList<JsonObject> records,
        IReadOnlyList<Join> joins,
        bool isMoved,
        CancellationToken cancellationToken)
    {
        // All values first: a joined record takes the place of the value that it was found by.
        var all = joins
            .SelectMany(join => join.Relations.Select(relation =>
                (join, relation, keys: records.Select(record => record[relation.From.Name]?.ToJsonString()).ToArray())))
            .ToArray();
        foreach (var (join, relation, keys) in all)
        {
            var joined = await ReadJoinedAsync(session, join, relation, keys, isMoved, cancellationToken);
            await AddAsync(session, [.. joined.Select(pair => pair.Record)], join.Joins, isMoved, cancellationToken);
            var byKey = joined.ToLookup(pair => pair.Key, pair => pair.Record, StringComparer.Ordinal);
            for (var i = 0; i < records.Count; i++)
            {
                Put(records[i], join, relation, keys[i] is { } key ? byKey[key] : []);
            }
        }
    }

    private static JsonNode? Move(JsonNode? time) =>
        time?.GetValueKind() == JsonValueKind.String && time.GetValue<string>() is var text && text.IndexOf('T') == 10
            ? text.Replace('T', ' ')
            : time;

    private async Task<List<(string Key, JsonObject Record)>> ReadJoinedAsync(
        Session session,
        Join join,
        Relation relation,
        string?[] keys,
        bool isMoved,
        CancellationToken cancellationToken)
    {
        var key = relation is Relation.Through through ? through.LinkFrom : relation.To;
        var texts = keys.OfType<string>().Distinct(StringComparer.Ordinal);
        object[] values = [.. texts.SelectMany(text => Parse(key, text))];
        if (values.Length == 0)
        {
            return [];
        }

        var statement = new SqlWriter(database).Joined(join, relation, values, _maxRecords + 1);
        await using var reader = await session.QueryAsync(statement, cancellationToken);
        var records = new List<(string, JsonObject)>();
        while (await reader.ReadAsync(cancellationToken))
        {
            var found = database.Read(reader, join.Columns.Count, key)!.ToJsonString();
            records.Add((found, Read(reader, join.Columns, isMoved)));
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
        return JsonInput.TryRead(column, document.RootElement, out var value) ? [value!] : [];
    }
}

/// <summary>Sends JSON with its length.</summary>
internal static class JsonAnswer
{
    // The answer is application/json and never part of a page, so only JSON's own characters are escaped.
    private static readonly JsonWriterOptions _options =
        new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>A record, or an array of them.</summary>
    public static Task SendAsync(HttpContext context, IReadOnlyList<JsonObject> records, bool isArray) =>
        SendAsync(context, isArray ? new JsonArray([.. records]) : records[0]);

    public static async Task SendAsync(HttpContext context, JsonNode answer)
    {
        var bytes = new ArrayBufferWriter<byte>();
        await using (var json = new Utf8JsonWriter(bytes, _options))
        {
            answer.WriteTo(json);
        }

        context.Response.ContentType = "application/json";
        context.Response.ContentLength = bytes.WrittenCount;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.BodyWriter.WriteAsync(bytes.WrittenMemory, context.RequestAborted);
        }
    }
}
