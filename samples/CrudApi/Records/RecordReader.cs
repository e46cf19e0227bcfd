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
    Database database, CatalogueCache catalogues, RecordRows rows, IOptions<ApiOptions> options)
{
    private readonly ApiOptions _options = options.Value;

    /// <summary><c>GET /{table}</c></summary>
    public async Task ListAsync(HttpContext context)
    {
        var (aborted, isMoved) = (context.RequestAborted, RecordTarget.IsMoved(context));
        var catalogue = await catalogues.GetAsync(context);
        var table = RecordTarget.FindTable(catalogue, context.Request, Operations.Read);
        var query = ListQueryParser.Parse(context.Request.Query, catalogue, table, _options, isMoved);
        await using var session = await database.OpenAsync(aborted);
        var statement = new SqlWriter(database).List(table, query);
        if (query.IsCsv)
        {
            await SendCsvAsync(context, session, statement, query.Columns);
            return;
        }

        var records = await rows.ReadAsync(session, statement, query.Columns, isMoved, aborted);
        await rows.AddAsync(session, records, query.Joins, isMoved, aborted);
        var answer = new JsonObject { ["records"] = new JsonArray([.. records]), ["count"] = records.Count };
        if (query.IsCounted)
        {
            await using var all = await session.QueryAsync(
                new SqlWriter(database).Count(table, query.Filters), aborted);
            await all.ReadAsync(aborted);
            answer["total"] = all.GetInt64(0);
        }

        await JsonAnswer.SendAsync(context, answer);
    }

    /// <summary><c>GET /{table}/{keys}</c>: the record, or an array of them in the order of the keys.</summary>
    public async Task GetAsync(HttpContext context)
    {
        var (aborted, isMoved) = (context.RequestAborted, RecordTarget.IsMoved(context));
        var catalogue = await catalogues.GetAsync(context);
        var table = RecordTarget.FindTable(catalogue, context.Request, Operations.Read);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        var joins = ListQueryParser.ParseColumns(context.Request.Query, catalogue, table, isMoved, out var columns);
        await using var session = await database.OpenAsync(aborted);
        var records = await ReadAsync(session, table, columns, keys, isMoved, aborted);
        await rows.AddAsync(session, records, joins, isMoved, aborted);
        await JsonAnswer.SendAsync(context, records, isArray: keys.Length > 1);
    }

    /// <summary>The records of the keys, which must all be there.</summary>
    public async Task<List<JsonObject>> ReadAsync(
        Session session,
        Table table,
        IReadOnlyList<Column> columns,
        (string Text, object Value)[] keys,
        bool isMoved,
        CancellationToken cancellationToken)
    {
        var records = new List<JsonObject>();
        var missing = new List<string>();
        foreach (var (text, key) in keys)
        {
            var statement = new SqlWriter(database).Select(table, columns, key);
            var found = await rows.ReadAsync(session, statement, columns, isMoved, cancellationToken);
            records.AddRange(found);
            missing.AddRange(found.Count == 0 ? [text] : []);
        }

        if (missing.Count > 0)
        {
            Refuse.UnknownRecords(table, missing);
        }

        return records;
    }

    /// <summary>CSV (RFC 4180), sent as it is read. Values are as in JSON, and null is an empty field.</summary>
    private async Task SendCsvAsync(
        HttpContext context, Session session, Statement statement, IReadOnlyList<Column> columns)
    {
        await using var reader = await session.QueryAsync(statement, context.RequestAborted);
        context.Response.ContentType = "text/csv; charset=utf-8";
        await using var text = new StreamWriter(context.Response.Body, leaveOpen: true);
        await text.WriteAsync(Line(columns.Select(column => column.Name)));
        while (await reader.ReadAsync(context.RequestAborted))
        {
            var record = rows.Read(reader, columns, RecordTarget.IsMoved(context));
            await text.WriteAsync(Line(record.Select(field =>
                field.Value?.GetValueKind() == JsonValueKind.String
                    ? field.Value.GetValue<string>()
                    : field.Value?.ToJsonString())));
        }
    }

    private static string Line(IEnumerable<string?> fields) => $"{string.Join(',', fields.Select(Quote))}\r\n";

    private static string? Quote(string? field) =>
        field is "" || field.AsSpan().ContainsAny(",\"\r\n")
            ? $"\"{field!.Replace("\"", "\"\"", StringComparison.Ordinal)}\""
            : field;
}
