using System.Buffers;
using System.Text.Json;

namespace FastCgi.AspNetCore.Operations.Status;

internal sealed partial class StatusPage
{
    /// <summary>One JSON object; the running requests are the array <c>processes</c>.</summary>
    public static byte[] AsJson(StatusSnapshot status)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(bytes);
        json.WriteStartObject();
        WriteFields(json, StatusField.OfServer(status));
        if (status.Requests is { } requests)
        {
            json.WriteStartArray("processes");
            foreach (var request in requests)
            {
                json.WriteStartObject();
                WriteFields(json, StatusField.OfRequest(request, status.Now));
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
            else if (field.ForMachines() is { } number)
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
