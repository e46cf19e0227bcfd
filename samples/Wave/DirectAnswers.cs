using System.Net.Mime;
using System.Text.Json;

namespace WaveSample;

/// <summary>The routes that need no more than middleware.</summary>
internal static class DirectAnswers
{
    private static readonly byte[] _helloWorld = [.. "Hello, World!"u8];

    public static Task InvokeAsync(HttpContext context, RequestDelegate next) => context.Request.Path.Value switch
    {
        "/plaintext" => SendAsync(context.Response, MediaTypeNames.Text.Plain, _helloWorld),
        "/json" => SendAsync(
            context.Response,
            MediaTypeNames.Application.Json,
            JsonSerializer.SerializeToUtf8Bytes(Greeting.HelloWorld, GreetingJson.Default.Greeting)),
        _ => next(context),
    };

    private static Task SendAsync(HttpResponse response, string type, byte[] body)
    {
        response.ContentType = type;
        response.ContentLength = body.Length;
        return response.Body.WriteAsync(body).AsTask();
    }
}
