using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace CrudApiSample.Records;

/// <summary>Sends JSON with its length.</summary>
internal static class JsonAnswer
{
    // The answer is application/json and never part of a page, so only JSON's own characters are escaped.
    private static readonly JsonWriterOptions _options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>A record, or an array of them.</summary>
    public static Task SendAsync(HttpContext context, IReadOnlyList<JsonObject> records, bool isArray) =>
        SendAsync(context, isArray ? new JsonArray([.. records]) : records[0]);

    public static async Task SendAsync(HttpContext context, JsonNode answer)
    {
        var bytes = new ArrayBufferWriter<byte>();
        await using (var json = new Utf8JsonWriter(bytes, _options))
        {
            answer.WriteTo(json);
        }

        context.Response.ContentType = "application/json";
        context.Response.ContentLength = bytes.WrittenCount;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.BodyWriter.WriteAsync(bytes.WrittenMemory, context.RequestAborted);
        }
    }
}
