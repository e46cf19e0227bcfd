using System.Data.Common;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Records;

/// <summary>Answers POST, PUT, PATCH and DELETE. A request is done as a whole or not at all.</summary>
internal sealed class RecordWriter(
    Database database,
    CatalogueCache catalogues,
    RecordReader records,
    RecordRows rows,
    IOptions<ApiOptions> options)
{
    private readonly ApiOptions _options = options.Value;

    /// <summary>
    /// <c>POST /{table}</c> with a record or an array of them; <c>POST /{table}/{keys}</c> with one for each key.
    /// </summary>
    public async Task CreateAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var table = await FindTableAsync(context, Operations.Create);
        var keys = RecordTarget.HasKeys(context)
            ? RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords)
            : null;
        var body = await ReadBodyAsync(context, table);
        if (keys is not null)
        {
            RequireOneForEach(body, keys.Length, mayShare: false);
        }

        var assignments = body.Assign(body.Count, (record, i) => record.ToInsert(table, keys?[i].Value));
        var created = new List<JsonObject>();
        await using var session = await database.OpenAsync(aborted);
        await session.BeginAsync(aborted);
        for (var i = 0; i < body.Count; i++)
        {
            var insert = new SqlWriter(database).Insert(table, assignments[i]);
            created.AddRange(await WriteAsync(table, assignments[i], key: null, NumberOf(body, i), () =>
                rows.ReadAsync(session, insert, table.Columns, RecordTarget.IsMoved(context), aborted)));
        }

        await session.CommitAsync(aborted);
        if (!body.IsArray && table.Key is { } column)
        {
            context.Response.Headers.Location = AddressOf(context, table, created[0][column.Name]);
        }

        context.Response.StatusCode = StatusCodes.Status201Created;
        await JsonAnswer.SendAsync(context, created, body.IsArray);
    }

    /// <summary><c>PUT /{table}/{keys}</c> with one record for all of them, or as many.</summary>
    public Task ReplaceAsync(HttpContext context) =>
        UpdateAsync(context, (input, table, key) => input.ToReplace(table, key));

    /// <summary>
    /// <c>PATCH /{table}/{keys}</c> with one change for all of them, or as many; also <c>PUT /records/…</c>.
    /// </summary>
    public Task ChangeAsync(HttpContext context) =>
        UpdateAsync(context, (input, table, key) => input.ToChange(table, key));

    /// <summary><c>PATCH /records/{table}/{keys}</c> with numbers to add, for all of them, or as many.</summary>
    public Task AddAsync(HttpContext context) =>
        UpdateAsync(context, (input, table, key) => input.ToChange(table, key), addsNumbers: true);

    /// <summary><c>DELETE /{table}/{keys}</c></summary>
    public async Task DeleteAsync(HttpContext context)
    {
        var aborted = context.RequestAborted;
        var table = await FindTableAsync(context, Operations.Delete);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        await using var session = await database.OpenAsync(aborted);
        await session.BeginAsync(aborted);
        var missing = new List<string>();
        foreach (var key in keys)
        {
            var delete = new SqlWriter(database).Delete(table, key.Value);
            var count = await WriteAsync(
                table, [], key.Value, record: null, () => session.ExecuteAsync(delete, aborted));
            missing.AddRange(count == 0 ? [key.Text] : []);
        }

        if (missing.Count > 0)
        {
            Refuse.UnknownRecords(table, missing);
        }

        await session.CommitAsync(aborted);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task UpdateAsync(
        HttpContext context,
        Func<RecordInput, Table, object, IReadOnlyList<ColumnAssignment>> assign,
        bool addsNumbers = false)
    {
        var aborted = context.RequestAborted;
        var table = await FindTableAsync(context, Operations.Update);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        var body = await ReadBodyAsync(context, table);
        RequireOneForEach(body, keys.Length, mayShare: !RecordTarget.IsMoved(context));
        var assignments = body.Assign(
            keys.Length, (record, i) => assign(record, table, keys[i].Value), addsNumbers);
        await using var session = await database.OpenAsync(aborted);
        await session.BeginAsync(aborted);
        for (var i = 0; i < keys.Length; i++)
        {
            if (assignments[i].Count > 0)
            {
                var update = new SqlWriter(database).Update(table, keys[i].Value, assignments[i]);
                await WriteAsync(table, assignments[i], keys[i].Value, NumberOf(body, i), () =>
                    session.ExecuteAsync(update, aborted));
            }
        }

        // Finds out as well which are missing.
        var isMoved = RecordTarget.IsMoved(context);
        var changed = await records.ReadAsync(session, table, table.Columns, keys, isMoved, aborted);
        await session.CommitAsync(aborted);
        await JsonAnswer.SendAsync(context, changed, isArray: keys.Length > 1);
    }

    /// <summary>Says of a failure which record it is about.</summary>
    private static async Task<T> WriteAsync<T>(
        Table table, IReadOnlyList<ColumnAssignment> assignments, object? key, int? record, Func<Task<T>> write)
    {
        try
        {
            return await write();
        }
        catch (DbException e)
        {
            throw new FailedWriteException(table, assignments, key, e) { Record = record };
        }
    }

    private static int? NumberOf(RecordBody body, int index) => body.IsArray ? index + 1 : null;

    private async Task<Table> FindTableAsync(HttpContext context, Operations operation)
    {
        var catalogue = await catalogues.GetAsync(context);
        var table = RecordTarget.FindTable(catalogue, context.Request, operation);
        if (!RecordTarget.IsMoved(context))
        {
            foreach (var (name, _) in context.Request.Query)
            {
                Refuse.Query(name, $"There is no parameter '{name}' for this method.");
            }
        }

        return table;
    }

    private Task<RecordBody> ReadBodyAsync(HttpContext context, Table table)
    {
        IReadOnlyList<Column>? columns = null;
        if (RecordTarget.IsMoved(context))
        {
            // As in PHP-CRUD-API: what the table does not have or the query does not include is not written, nor a
            // key that the path has.
            columns = ListQueryParser.ParseWritten(context.Request.Query, table);
            columns = RecordTarget.HasKeys(context) ? [.. columns.Where(column => column != table.Key)] : columns;
        }

        return RecordBody.ReadAsync(context.Request, table, columns, _options);
    }

    private static void RequireOneForEach(RecordBody body, int keys, bool mayShare)
    {
        var isShared = mayShare && !body.IsArray;
        if (!isShared && body.Count != keys)
        {
            Refuse.Body($"The path names {keys} records and the body brings {body.Count}.");
        }
    }

    private static string AddressOf(HttpContext context, Table table, JsonNode? key)
    {
        var prefix = context.Request.PathBase.ToUriComponent()
            + (RecordTarget.IsMoved(context) ? RecordTarget.MovedPrefix : "");
        return $"{prefix}/{Uri.EscapeDataString(table.Name)}/{Uri.EscapeDataString(key!.ToString())}";
    }
}
