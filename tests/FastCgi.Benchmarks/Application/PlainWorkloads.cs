using System.Buffers;
using System.Text.Json;

namespace FastCgi.Benchmarks.Application;

/// <summary>The workloads that need no more than middleware.</summary>
internal static class PlainWorkloads
{
    private const int ChunkSize = 64 * 1024;
    private const int Mebibyte = 1024 * 1024;
    private const string BytesPrefix = "/bytes/";
    private const int BlockMilliseconds = 5;
    private const int Events = 100;

    private static readonly TimeSpan s_eventInterval = TimeSpan.FromMilliseconds(10);
    private static readonly byte[] s_helloWorld = "Hello, World!"u8.ToArray();

    /// <summary>What every program of FastCGI-bench answers.</summary>
    private static readonly byte[] s_helloPage =
        "<!DOCTYPE html><html><body><h1>Hello World!</h1></body></html>"u8.ToArray();

    private static readonly byte[] s_chunk = [.. Enumerable.Repeat((byte)'x', ChunkSize)];

    // Goes with the process.
    private static readonly Lazy<FileStream> s_file = new(static () =>
    {
        var file = new FileStream(
            Path.GetTempFileName(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, ChunkSize,
            FileOptions.DeleteOnClose);
        for (int i = 0; i < Mebibyte / ChunkSize; i++)
        {
            file.Write(s_chunk);
        }

        file.Flush();
        return file;
    });

    public static Task InvokeAsync(HttpContext context, RequestDelegate next) => context.Request.Path.Value switch
    {
        "/plaintext" => SendHelloWorld(context.Response),
        "/hello" => Send(context.Response, "text/html", s_helloPage),
        "/json" => SendJson(context.Response),
        "/form" => ReadFormAsync(context),
        "/download" => SendBytesAsync(context.Response, Mebibyte),
        "/file" => SendFileAsync(context.Response),
        "/upload" => CountBodyAsync(context),
        "/events" => SendEventsAsync(context),
        "/yield" => YieldAsync(context.Response),
        "/block" => BlockAsync(context.Response),
        { } path when path.StartsWith(BytesPrefix, StringComparison.Ordinal) => SendBytesAsync(
            context.Response, int.Parse(path.AsSpan(BytesPrefix.Length), CultureInfo.InvariantCulture)),
        _ => next(context),
    };

    private static Task SendHelloWorld(HttpResponse response) => Send(response, "text/plain", s_helloWorld);

    private static Task SendJson(HttpResponse response) => Send(
        response,
        "application/json",
        JsonSerializer.SerializeToUtf8Bytes(new Greeting("Hello, World!"), GreetingJson.Default.Greeting));

    private static Task Send(HttpResponse response, string contentType, byte[] body)
    {
        response.ContentType = contentType;
        response.ContentLength = body.Length;
        return response.Body.WriteAsync(body).AsTask();
    }

    private static async Task ReadFormAsync(HttpContext context)
    {
        var form = await context.Request.ReadFormAsync(context.RequestAborted);
        await SendTextAsync(context.Response, $"fields={form.Count}");
    }

    private static async Task SendBytesAsync(HttpResponse response, int length)
    {
        response.ContentType = "application/octet-stream";
        response.ContentLength = length;
        for (int rest = length; rest > 0; rest -= ChunkSize)
        {
            await response.Body.WriteAsync(s_chunk.AsMemory(0, Math.Min(rest, ChunkSize)));
        }
    }

    private static Task SendFileAsync(HttpResponse response)
    {
        response.ContentType = "application/octet-stream";
        response.ContentLength = Mebibyte;
        return response.SendFileAsync(s_file.Value.Name);
    }

    private static async Task CountBodyAsync(HttpContext context)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(ChunkSize);
        long length = 0;
        int read;
        while ((read = await context.Request.Body.ReadAsync(buffer)) > 0)
        {
            length += read;
        }

        ArrayPool<byte>.Shared.Return(buffer);
        await SendTextAsync(context.Response, $"bytes={length}");
    }

    private static async Task SendEventsAsync(HttpContext context)
    {
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers["X-Accel-Buffering"] = "no";
        using var timer = new PeriodicTimer(s_eventInterval);
        for (int i = 0; i < Events; i++)
        {
            await context.Response.WriteAsync($"data: {i}\n\n");
            await context.Response.Body.FlushAsync();
            await timer.WaitForNextTickAsync(context.RequestAborted);
        }
    }

    private static async Task YieldAsync(HttpResponse response)
    {
        await Task.Yield();
        await SendHelloWorld(response);
    }

    private static Task BlockAsync(HttpResponse response)
    {
        Thread.Sleep(BlockMilliseconds);
        return SendHelloWorld(response);
    }

    private static Task SendTextAsync(HttpResponse response, string text)
    {
        response.ContentType = "text/plain";
        response.ContentLength = text.Length;
        return response.WriteAsync(text);
    }
}
