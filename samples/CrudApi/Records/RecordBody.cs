using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Unicode;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.WebUtilities;

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
    /// <param name="columns">Those to write, as in PHP-CRUD-API, where forms are taken too; null for all.</param>
    public static async Task<RecordBody> ReadAsync(
        HttpRequest request, Table table, IReadOnlyCollection<Column>? columns, ApiOptions options)
    {
        var isForm = columns is not null && request.HasFormContentType;
        if (!isForm && !request.HasJsonContentType())
        {
            Refuse.Request(StatusCodes.Status415UnsupportedMediaType, "The body has to be application/json.");
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
                Refuse.Body($"One request may bring {options.MaxRecords} records at most.");
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
        if (request.ContentLength <= maxSize || request.ContentLength is null)
        {
            var read = await request.BodyReader.ReadAtLeastAsync(maxSize + 1, cancellationToken);
            if (read.Buffer.Length <= maxSize)
            {
                return read.Buffer.ToArray();
            }
        }

        Refuse.Request(StatusCodes.Status413PayloadTooLarge, $"The body has more than {maxSize} bytes.");
        return [];
    }
}

/// <summary>A record in a form: <c>title=Hello&amp;visits=1&amp;author__is_null</c>.</summary>
internal static class FormRecord
{
    private const string NullSuffix = "__is_null";

    public static JsonElement Read(HttpRequest request, ApiOptions options, Table table, byte[] form)
    {
        RequireOwnSite(request, options.CorsOrigins);
        if (!request.ContentType!.StartsWith("application/x-www-form-urlencoded", StringComparison.OrdinalIgnoreCase))
        {
            Refuse.Request(
                StatusCodes.Status415UnsupportedMediaType, "A form has to be application/x-www-form-urlencoded.");
        }

        var record = new JsonObject();
        foreach (var (name, values) in QueryHelpers.ParseQuery(Encoding.UTF8.GetString(form)))
        {
            var isNull = name.EndsWith(NullSuffix, StringComparison.Ordinal);
            record[isNull ? name[..^NullSuffix.Length] : name] =
                isNull ? null : ReadValue(table.Find(name), values.ToString());
        }

        return JsonSerializer.SerializeToElement(record);
    }

    /// <summary>Without CORS a page of any site can send a form, as it cannot send JSON.</summary>
    private static void RequireOwnSite(HttpRequest request, IList<string> origins)
    {
        var origin = request.Headers.Origin.ToString();
        if (origin.Length > 0 && origin != $"{request.Scheme}://{request.Host}"
            && !origins.Contains(origin) && !origins.Contains("*"))
        {
            Refuse.Request(
                StatusCodes.Status403Forbidden,
                $"A page of {origin} may not send a form: Api:CorsOrigins does not have it.");
        }
    }

    /// <summary>Numbers and booleans as such. A text that is none stays one, and is refused as that.</summary>
    private static JsonNode? ReadValue(Column? column, string text) =>
        column is not null && ColumnValue.TryParse(column, text, out var value)
        && value is long or ulong or double or bool
            ? JsonSerializer.SerializeToNode(value)
            : text;
}
