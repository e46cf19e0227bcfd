using System.Net.Mime;

namespace WaveSample;

/// <summary>The routes that need no more than middleware.</summary>
internal static class DirectAnswers
{
    private static readonly byte[] _helloWorld = [.. "Hello, World!"u8];

    public static Task InvokeAsync(HttpContext context, RequestDelegate next) => context.Request.Path.Value switch
    {
        "/plaintext" => SendAsync(context.Response, MediaTypeNames.Text.Plain, _helloWorld),
        // The bytes of MVC's JSON, head and body, so that the two can be compared.
        "/json" => context.Response.WriteAsJsonAsync(Greeting.HelloWorld, GreetingJson.Default.Greeting),
        _ => next(context),
    };

    private static Task SendAsync(HttpResponse response, string type, byte[] body)
    {
        response.ContentType = type;
        response.ContentLength = body.Length;
        return response.Body.WriteAsync(body).AsTask();
    }
}
