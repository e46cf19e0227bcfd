using System.Buffers;
using System.Data.Common;
using System.Text.Json;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;

namespace CrudApiSample.Records;

/// <summary>A list as CSV (RFC 4180), sent as it is read. Values are as in JSON, and null is an empty field.</summary>
internal sealed class CsvAnswer(Database database)
{
    private static readonly SearchValues<char> _quoted = SearchValues.Create(",\"\r\n");

    public async Task SendAsync(HttpContext context, DbDataReader reader, IReadOnlyList<Column> columns)
    {
        context.Response.ContentType = "text/csv; charset=utf-8";
        await using var text = new StreamWriter(context.Response.Body, leaveOpen: true);
        await text.WriteAsync(Line(columns.Select(column => column.Name)));
        while (await reader.ReadAsync(context.RequestAborted))
        {
            await text.WriteAsync(Line(columns.Select((column, i) => Read(reader, i, column))));
        }
    }

    private static string Line(IEnumerable<string?> fields) => $"{string.Join(',', fields.Select(Quote))}\r\n";

    private static string? Quote(string? field) =>
        field is "" || field.AsSpan().ContainsAny(_quoted)
            ? $"\"{field!.Replace("\"", "\"\"", StringComparison.Ordinal)}\""
            : field;

    private string? Read(DbDataReader reader, int ordinal, Column column)
    {
        var value = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(value))
        {
            database.WriteValue(json, reader, ordinal, column);
        }

        using var document = JsonDocument.Parse(value.WrittenMemory);
        return document.RootElement.ValueKind switch
        {
            JsonValueKind.Null => null,
            JsonValueKind.String => document.RootElement.GetString(),
            _ => document.RootElement.GetRawText(),
        };
    }
}
