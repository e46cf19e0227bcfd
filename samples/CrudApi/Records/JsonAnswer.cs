using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace CrudApiSample.Records;

/// <summary>
/// JSON on its way to a client. It is kept back at first: what fits has its length in the head, and an error found
/// meanwhile is still answered as one.
/// </summary>
internal sealed class JsonAnswer
{
    private const int FlushAt = 32 * 1024;

    // The answer is application/json and never part of a page, so only JSON's own characters are escaped.
    private static readonly JsonWriterOptions _options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    private readonly ArrayBufferWriter<byte> _buffer = new();

    private bool _hasSent;

    public JsonAnswer() => Json = new Utf8JsonWriter(_buffer, _options);

    public Utf8JsonWriter Json { get; }

    /// <summary>Sends what has gathered when that is much.</summary>
    public ValueTask FlushIfFullAsync(HttpContext context) =>
        Json.BytesPending + _buffer.WrittenCount < FlushAt ? ValueTask.CompletedTask : FlushAsync(context);

    /// <summary>Sends the rest, or all of it.</summary>
    public ValueTask EndAsync(HttpContext context)
    {
        if (!_hasSent)
        {
            Json.Flush();
            context.Response.ContentLength = _buffer.WrittenCount;
        }

        return FlushAsync(context);
    }

    private async ValueTask FlushAsync(HttpContext context)
    {
        Json.Flush();
        if (!_hasSent)
        {
            context.Response.ContentType = "application/json";
            _hasSent = true;
        }

        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.BodyWriter.WriteAsync(_buffer.WrittenMemory, context.RequestAborted);
        }

        _buffer.ResetWrittenCount();
    }
}
