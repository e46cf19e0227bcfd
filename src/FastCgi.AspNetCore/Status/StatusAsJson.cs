using System.Buffers;
using System.Text.Json;

namespace FastCgi.AspNetCore.Status;

/// <summary>The status page as one JSON object; the running requests are the array <c>processes</c>.</summary>
internal static class StatusAsJson
{
    public static byte[] Write(StatusSnapshot status)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(bytes);
        json.WriteStartObject();
        WriteFields(json, StatusFields.OfServer(status));
        if (status.Requests is { } requests)
        {
            json.WriteStartArray("processes");
            foreach (var request in requests)
            {
                json.WriteStartObject();
                WriteFields(json, StatusFields.OfRequest(request, status.Now));
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        json.WriteEndObject();
        json.Flush();
        return bytes.WrittenSpan.ToArray();
    }

    private static void WriteFields(Utf8JsonWriter json, IEnumerable<StatusField> fields)
    {
        foreach (StatusField field in fields)
        {
            if (field.Text is { } text)
            {
                json.WriteString(field.Name, text);
            }
            else if (StatusFields.ForMachines(field) is { } number)
            {
                json.WritePropertyName(field.Name);
                json.WriteRawValue(number);
            }
            else
            {
                json.WriteNull(field.Name);
            }
        }
    }
}
