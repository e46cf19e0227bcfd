using System.Data.Common;
using System.Text.Json;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Records;

/// <summary>Answers GET and HEAD.</summary>
internal sealed class RecordReader(
    Database database, CatalogueCache catalogues, JsonAnswerPool answers, IOptions<ApiOptions> options)
{
    private readonly ApiOptions _options = options.Value;

    /// <summary><c>GET /{table}</c></summary>
    public async Task ListAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var table = RecordTarget.FindTable(await catalogues.GetAsync(aborted), context.Request);
        var query = ListQueryParser.Parse(context.Request.Query, table, _options);
        var answer = answers.Rent();
        await using (var session = await database.OpenAsync(aborted))
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteStartArray("records"u8);
            var count = 0;
            await using (var reader = await session.QueryAsync(new SqlWriter(database).List(table, query), aborted))
            {
                for (; await reader.ReadAsync(aborted); count++)
                {
                    WriteRecord(answer.Json, reader, query.Columns);
                    await answer.FlushIfFullAsync(context);
                }
            }

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

        await SendAsync(context, answer);
    }

    /// <summary><c>GET /{table}/{keys}</c>: the record, or an array of them in the order of the keys.</summary>
    public async Task GetAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var table = RecordTarget.FindTable(await catalogues.GetAsync(aborted), context.Request);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        var columns = context.Request.QueryString.HasValue
            ? ListQueryParser.ParseColumns(context.Request.Query, table)
            : table.Columns;
        var answer = answers.Rent();
        await using (var session = await database.OpenAsync(aborted))
        {
            await WriteAsync(answer, session, table, columns, keys, isArray: keys.Length > 1, aborted);
        }

        await SendAsync(context, answer);
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

    public async Task SendAsync(HttpContext context, JsonAnswer answer)
    {
        await answer.EndAsync(context);
        answers.Return(answer);
    }

    /// <summary>All columns is what is mostly asked for: its statement lies ready.</summary>
    private Task<DbDataReader> SelectAsync(
        Session session, Table table, IReadOnlyList<Column> columns, object key, CancellationToken cancellationToken)
    {
        var isReady = ReferenceEquals(columns, table.Columns) && database.Value(table.Key!, "") == "";
        return isReady
            ? session.QueryAsync(table.SelectByKey, database.ToParameter(table.Key!, key), cancellationToken)
            : session.QueryAsync(new SqlWriter(database).Select(table, columns, key), cancellationToken);
    }
}
