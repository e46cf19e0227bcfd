using System.Buffers;
using System.Text.Json;
using System.Text.Unicode;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.AspNetCore.Mvc;

namespace CrudApiSample.Records;

/// <summary>A body with one record or an array of them.</summary>
internal sealed class RecordBody
{
    private static readonly JsonDocumentOptions _json = new() { MaxDepth = 32 };

    private readonly Table _table;
    private readonly IReadOnlyCollection<Column>? _columns;
    private readonly JsonElement[] _records;

    private RecordBody(Table table, IReadOnlyCollection<Column>? columns, JsonElement root)
    {
        _table = table;
        _columns = columns;
        IsArray = root.ValueKind == JsonValueKind.Array;
        _records = IsArray ? [.. root.EnumerateArray()] : [root];
    }

    public bool IsArray { get; }

    public int Count => _records.Length;

    /// <summary>Judges all records before the first is written, so that one answer tells all that is wrong.</summary>
    /// <param name="count">Of the records to write: an object in the body goes for all of them.</param>
    /// <param name="assign">Makes of a record, and its index, what is written.</param>
    /// <param name="addsNumbers">The values are numbers to add.</param>
    public IReadOnlyList<ColumnAssignment>[] Assign(
        int count, Func<RecordInput, int, IReadOnlyList<ColumnAssignment>> assign, bool addsNumbers = false)
    {
        var assignments = new IReadOnlyList<ColumnAssignment>[count];
        var problems = new List<(int, ProblemDetails)>();
        for (var i = 0; i < count; i++)
        {
            try
            {
                assignments[i] = assign(Read(IsArray ? i : 0, addsNumbers), i);
            }
            catch (RefusedException e) when (IsArray)
            {
                problems.Add((i + 1, e.Problem));
            }
        }

        if (problems.Count > 0)
        {
            Refuse.Records(problems);
        }

        return assignments;
    }

    private RecordInput Read(int index, bool addsNumbers)
    {
        try
        {
            return new RecordInput(_table, _columns, _records[index], addsNumbers);
        }
        catch (InvalidOperationException)
        {
            // How JsonElement says that an escaped text cannot be one.
            Refuse.Body("A text in the body has half of a surrogate pair.");
            throw;
        }
    }

    /// <summary>Reads no more than the limits allow, and names the place where it is no JSON.</summary>
    /// <param name="columns">Those that are written, as in PHP-CRUD-API, where forms are taken too; null for all.</param>
    public static async Task<RecordBody> ReadAsync(
        HttpRequest request, Table table, IReadOnlyCollection<Column>? columns, ApiOptions options)
    {
        var isForm = columns is not null && request.HasFormContentType;
        if (!isForm && !request.HasJsonContentType())
        {
            Refuse.NoJson();
        }

        var bytes = await ReadBytesAsync(request, options.MaxBodySize, request.HttpContext.RequestAborted);
        if (!Utf8.IsValid(bytes))
        {
            Refuse.Body("The body is not UTF-8, which JSON has to be.");
        }

        if (isForm)
        {
            return new RecordBody(table, columns, FormRecord.Read(request, options, table, bytes));
        }

        try
        {
            using var document = JsonDocument.Parse(bytes, _json);
            var body = new RecordBody(table, columns, document.RootElement.Clone());
            if (body.Count > options.MaxRecords)
            {
                Refuse.TooManyRecords(options.MaxRecords);
            }

            if (body.Count == 0)
            {
                Refuse.Body("The body is an array without a record.");
            }

            return body;
        }
        catch (JsonException e)
        {
            var isEmpty = bytes.AsSpan().Trim(" \t\r\n"u8).IsEmpty;
            var reason = isEmpty ? "it is empty, and a record is a JSON object" : "see RFC 8259";
            Refuse.Body($"The body is no JSON in line {e.LineNumber + 1}, byte {e.BytePositionInLine + 1}: {reason}.");
            throw;
        }
    }

    private static async Task<byte[]> ReadBytesAsync(
        HttpRequest request, int maxSize, CancellationToken cancellationToken)
    {
        if (request.ContentLength > maxSize)
        {
            Refuse.BodyTooLarge(maxSize);
        }

        while (true)
        {
            var read = await request.BodyReader.ReadAsync(cancellationToken);
            if (read.Buffer.Length > maxSize)
            {
                Refuse.BodyTooLarge(maxSize);
            }

            if (read.IsCompleted)
            {
                var bytes = read.Buffer.ToArray();
                request.BodyReader.AdvanceTo(read.Buffer.End);
                return bytes;
            }

            request.BodyReader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }
}
