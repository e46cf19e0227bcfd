using System.Buffers;
using System.Net.WebSockets;

namespace FastCgi.Benchmarks.Application;

/// <summary>Sends back what a WebSocket brings.</summary>
internal static class EchoWorkload
{
    public const string Path = "/echo";

    private const int BufferSize = 16 * 1024;

    /// <summary>Behind all other workloads, which would otherwise pay for it.</summary>
    public static void Map(IApplicationBuilder app) =>
        app.Map(Path, static branch => branch.UseWebSockets().Run(EchoAsync));

    private static async Task EchoAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            while (await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted) is var got
                && got.MessageType != WebSocketMessageType.Close)
            {
                await socket.SendAsync(
                    buffer.AsMemory(0, got.Count), got.MessageType, got.EndOfMessage, context.RequestAborted);
            }
        }
        catch (Exception exception) when (exception is WebSocketException or OperationCanceledException)
        {
            // The load generator has left.
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
