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

/// <summary>Answers GET and HEAD.</summary>
internal sealed class RecordReader(
    Database database,
    CatalogueCache catalogues,
    JoinReader joins,
    IOptions<ApiOptions> options)
{
    private readonly ApiOptions _options = options.Value;

    /// <summary><c>GET /{table}</c></summary>
    public async Task ListAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var catalogue = await catalogues.GetAsync(context);
        var table = RecordTarget.FindTable(catalogue, context.Request, Operations.Read);
        var query = ListQueryParser.Parse(context.Request.Query, catalogue, table, _options);
        if (query.IsCsv)
        {
            await SendCsvAsync(context, table, query);
            return;
        }

        var answer = new JsonAnswer();
        await using (var session = await database.OpenAsync(aborted))
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteStartArray("records"u8);
            var statement = new SqlWriter(database).List(table, query);
            var count = query.Joins.Count == 0
                ? await WriteAsync(context, answer, session, statement, query.Columns)
                : await WriteJoinedAsync(answer, session, statement, query, aborted);
            answer.Json.WriteEndArray();
            answer.Json.WriteNumber("count"u8, count);
            if (query.IsCounted)
            {
                var all = new SqlWriter(database).Count(table, query.Filters);
                await using var reader = await session.QueryAsync(all, aborted);
                await reader.ReadAsync(aborted);
                answer.Json.WriteNumber("total"u8, reader.GetInt64(0));
            }

            answer.Json.WriteEndObject();
        }

        await answer.EndAsync(context);
    }

    /// <summary><c>GET /{table}/{keys}</c>: the record, or an array of them in the order of the keys.</summary>
    public async Task GetAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var catalogue = await catalogues.GetAsync(context);
        var table = RecordTarget.FindTable(catalogue, context.Request, Operations.Read);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        var (columns, joined) = (table.Columns, (IReadOnlyList<Join>)[]);
        if (context.Request.QueryString.HasValue)
        {
            joined = ListQueryParser.ParseColumns(context.Request.Query, catalogue, table, out columns);
        }

        var answer = new JsonAnswer();
        await using (var session = await database.OpenAsync(aborted))
        {
            if (joined.Count == 0)
            {
                await WriteAsync(answer, session, table, columns, keys, isArray: keys.Length > 1, aborted);
            }
            else
            {
                await WriteJoinedAsync(answer, session, table, columns, joined, keys, aborted);
            }
        }

        await answer.EndAsync(context);
    }

    /// <summary>Writes the records of the keys, which must all be there.</summary>
    public async Task WriteAsync(
        JsonAnswer answer,
        Session session,
        Table table,
        IReadOnlyList<Column> columns,
        (string Text, object Value)[] keys,
        bool isArray,
        CancellationToken cancellationToken)
    {
        List<string>? missing = null;
        if (isArray)
        {
            answer.Json.WriteStartArray();
        }

        foreach (var key in keys)
        {
            await using var reader = await SelectAsync(session, table, columns, key.Value, cancellationToken);
            if (await reader.ReadAsync(cancellationToken))
            {
                WriteRecord(answer.Json, reader, columns);
            }
            else
            {
                (missing ??= []).Add(key.Text);
            }
        }

        if (missing is not null)
        {
            Refuse.UnknownRecords(table, missing);
        }

        if (isArray)
        {
            answer.Json.WriteEndArray();
        }
    }

    private async Task SendCsvAsync(HttpContext context, Table table, ListQuery query)
    {
        await using var session = await database.OpenAsync(context.RequestAborted);
        var statement = new SqlWriter(database).List(table, query);
        await using var reader = await session.QueryAsync(statement, context.RequestAborted);
        await new CsvAnswer(database).SendAsync(context, reader, query.Columns);
    }

    /// <summary>Writes the records as they come from the database, and sends what has gathered.</summary>
    /// <returns>How many there were.</returns>
    private async Task<int> WriteAsync(
        HttpContext context, JsonAnswer answer, Session session, Statement statement, IReadOnlyList<Column> columns)
    {
        var aborted = context.RequestAborted;
        await using var reader = await session.QueryAsync(statement, aborted);
        var count = 0;
        for (; await reader.ReadAsync(aborted); count++)
        {
            WriteRecord(answer.Json, reader, columns);
            await answer.FlushIfFullAsync(context);
        }

        return count;
    }

    /// <summary>Reads the whole page first, whose records the joined ones are looked for by.</summary>
    private async Task<int> WriteJoinedAsync(
        JsonAnswer answer, Session session, Statement statement, ListQuery query, CancellationToken cancellationToken)
    {
        var records = new List<JsonObject>();
        await using (var reader = await session.QueryAsync(statement, cancellationToken))
        {
            while (await reader.ReadAsync(cancellationToken))
            {
                records.Add(joins.ReadRecord(reader, query.Columns));
            }
        }

        await joins.AddAsync(session, records, query.Joins, cancellationToken);
        records.ForEach(record => record.WriteTo(answer.Json));
        return records.Count;
    }

    private async Task WriteJoinedAsync(
        JsonAnswer answer,
        Session session,
        Table table,
        IReadOnlyList<Column> columns,
        IReadOnlyList<Join> joined,
        (string Text, object Value)[] keys,
        CancellationToken cancellationToken)
    {
        var records = new List<JsonObject>();
        var missing = new List<string>();
        foreach (var key in keys)
        {
            await using var reader = await SelectAsync(session, table, columns, key.Value, cancellationToken);
            if (await reader.ReadAsync(cancellationToken))
            {
                records.Add(joins.ReadRecord(reader, columns));
            }
            else
            {
                missing.Add(key.Text);
            }
        }

        if (missing.Count > 0)
        {
            Refuse.UnknownRecords(table, missing);
        }

        await joins.AddAsync(session, records, joined, cancellationToken);
        if (keys.Length > 1)
        {
            answer.Json.WriteStartArray();
        }

        records.ForEach(record => record.WriteTo(answer.Json));

        if (keys.Length > 1)
        {
            answer.Json.WriteEndArray();
        }
    }

    public void WriteRecord(Utf8JsonWriter json, DbDataReader reader, IReadOnlyList<Column> columns)
    {
        json.WriteStartObject();
        for (var i = 0; i < columns.Count; i++)
        {
            json.WritePropertyName(columns[i].Property);
            database.WriteValue(json, reader, i, columns[i]);
        }

        json.WriteEndObject();
    }

    private Task<DbDataReader> SelectAsync(
        Session session, Table table, IReadOnlyList<Column> columns, object key, CancellationToken cancellationToken) =>
        session.QueryAsync(new SqlWriter(database).Select(table, columns, key), cancellationToken);
}
