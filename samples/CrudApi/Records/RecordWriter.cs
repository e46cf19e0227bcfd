using System.Data.Common;
using System.Globalization;
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
    IOptions<ApiOptions> options)
{
    private readonly ApiOptions _options = options.Value;

    /// <summary><c>POST /{table}</c> with a record or an array of them.</summary>
    public async Task CreateAsync(HttpContext context)
    {
        var table = await FindTableAsync(context, Operations.Create);
        var body = await ReadBodyAsync(context, table);
        await InsertAsync(context, table, body, keys: null);
    }

    /// <summary><c>POST /{table}/{keys}</c> with as many records, which get those keys.</summary>
    public async Task CreateWithKeysAsync(HttpContext context)
    {
        var table = await FindTableAsync(context, Operations.Create);
        var keys = RecordTarget.ReadKeys(table, context.Request, _options.MaxRecords);
        var body = await ReadBodyAsync(context, table);
        RequireOneForEach(body, keys.Length, mayShare: false);
        await InsertAsync(context, table, body, keys);
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
            try
            {
                if (await session.ExecuteAsync(new SqlWriter(database).Delete(table, key.Value), aborted) == 0)
                {
                    missing.Add(key.Text);
                }
            }
            catch (DbException e)
            {
                throw new FailedWriteException(table, [], key.Value, e);
            }
        }

        if (missing.Count > 0)
        {
            Refuse.UnknownRecords(table, missing);
        }

        await session.CommitAsync(aborted);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task InsertAsync(
        HttpContext context, Table table, RecordBody body, (string Text, object Value)[]? keys)
    {
        var aborted = context.RequestAborted;
        var assignments = body.Assign(body.Count, (record, i) => record.ToInsert(table, keys?[i].Value));
        var answer = new JsonAnswer();
        await using (var session = await database.OpenAsync(aborted))
        {
            await session.BeginAsync(aborted);
            if (body.IsArray)
            {
                answer.Json.WriteStartArray();
            }

            for (var i = 0; i < body.Count; i++)
            {
                await using var reader = await InsertAsync(session, table, assignments[i], NumberOf(body, i), aborted);

                records.WriteRecord(answer.Json, reader, table.Columns);
                if (!body.IsArray && table.Key is not null)
                {
                    context.Response.Headers.Location = AddressOf(context.Request, table, reader);
                }
            }

            if (body.IsArray)
            {
                answer.Json.WriteEndArray();
            }

            await session.CommitAsync(aborted);
        }

        context.Response.StatusCode = StatusCodes.Status201Created;
        await answer.EndAsync(context);
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
        RequireOneForEach(body, keys.Length, mayShare: true);
        var assignments = body.Assign(
            keys.Length, (record, i) => assign(record, table, keys[i].Value), addsNumbers);
        var answer = new JsonAnswer();
        await using (var session = await database.OpenAsync(aborted))
        {
            await session.BeginAsync(aborted);
            for (var i = 0; i < keys.Length; i++)
            {
                await UpdateAsync(session, table, keys[i].Value, assignments[i], NumberOf(body, i), aborted);
            }

            // Finds out as well which are missing.
            await records.WriteAsync(answer, session, table, table.Columns, keys, isArray: keys.Length > 1, aborted);
            await session.CommitAsync(aborted);
        }

        await answer.EndAsync(context);
    }

    /// <returns>The record as it was stored.</returns>
    private async Task<DbDataReader> InsertAsync(
        Session session,
        Table table,
        IReadOnlyList<ColumnAssignment> assignments,
        int? record,
        CancellationToken cancellationToken)
    {
        try
        {
            var insert = new SqlWriter(database).Insert(table, assignments);
            var reader = await session.QueryAsync(insert, cancellationToken);
            return await reader.ReadAsync(cancellationToken)
                ? reader
                : throw new InvalidOperationException($"'{table.Name}' returned nothing of what was inserted.");
        }
        catch (DbException e)
        {
            throw new FailedWriteException(table, assignments, key: null, e) { Record = record };
        }
    }

    private async Task UpdateAsync(
        Session session,
        Table table,
        object key,
        IReadOnlyList<ColumnAssignment> assignments,
        int? record,
        CancellationToken cancellationToken)
    {
        if (assignments.Count == 0)
        {
            return;
        }

        try
        {
            await session.ExecuteAsync(new SqlWriter(database).Update(table, key, assignments), cancellationToken);
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
        foreach (var (name, _) in context.Request.Query)
        {
            Refuse.Query(name, $"There is no parameter '{name}' for this method.");
        }

        return table;
    }

    private Task<RecordBody> ReadBodyAsync(HttpContext context, Table table) =>
        RecordBody.ReadAsync(context.Request, table, _options.MaxBodySize, _options.MaxRecords, context.RequestAborted);

    private static void RequireOneForEach(RecordBody body, int keys, bool mayShare)
    {
        var isShared = mayShare && !body.IsArray;
        if (!isShared && body.Count != keys)
        {
            Refuse.Body($"The path names {keys} records and the body brings {body.Count}.");
        }
    }

    private static string? AddressOf(HttpRequest request, Table table, DbDataReader reader)
    {
        var ordinal = table.Columns.TakeWhile(column => column != table.Key).Count();
        var key = Convert.ToString(reader.GetValue(ordinal), CultureInfo.InvariantCulture)!;
        var prefix = request.PathBase.ToUriComponent() + RecordEndpoints.PrefixOf(request.HttpContext);
        return $"{prefix}/{Uri.EscapeDataString(table.Name)}/{Uri.EscapeDataString(key)}";
    }
}
