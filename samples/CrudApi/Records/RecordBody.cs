using System.Buffers;
using System.Text.Json;
using CrudApiSample.Catalogues;
using CrudApiSample.Problems;

namespace CrudApiSample.Records;

/// <summary>A body with one record or an array of them.</summary>
internal sealed class RecordBody
{
    private static readonly JsonDocumentOptions _json = new() { AllowDuplicateProperties = false, MaxDepth = 32 };

    private readonly Table _table;
    private readonly JsonElement[] _records;

    private RecordBody(Table table, JsonElement root)
    {
        _table = table;
        IsArray = root.ValueKind == JsonValueKind.Array;
        _records = IsArray ? [.. root.EnumerateArray()] : [root];
    }

    public bool IsArray { get; }

    public int Count => _records.Length;

    public RecordInput this[int index]
    {
        get
        {
            try
            {
                return new RecordInput(_table, _records[index]);
            }
            catch (InvalidOperationException)
            {
                // How JsonElement says that an escaped text cannot be one.
                Refuse.Body("A text in the body has half of a surrogate pair.");
                throw;
            }
        }
    }

    /// <summary>Reads no more than the limits allow, and names the place where it is no JSON.</summary>
    public static async Task<RecordBody> ReadAsync(
        HttpRequest request, Table table, int maxSize, int maxRecords, CancellationToken cancellationToken)
    {
        if (!request.HasJsonContentType())
        {
            Refuse.NoJson();
        }

        var bytes = await ReadBytesAsync(request, maxSize, cancellationToken);
        try
        {
            using var document = JsonDocument.Parse(bytes, _json);
            var body = new RecordBody(table, document.RootElement.Clone());
            if (body.Count > maxRecords)
            {
                Refuse.TooManyRecords(maxRecords);
            }

            if (body.Count == 0)
            {
                Refuse.Body("The body is an array without a record.");
            }

            return body;
        }
        catch (JsonException e)
        {
            // The message ends with the place, counted from 0.
            var reason = e.Message.Split(" LineNumber:")[0];
            Refuse.Body($"The body is no JSON in line {e.LineNumber + 1}, byte {e.BytePositionInLine + 1}: {reason}");
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
