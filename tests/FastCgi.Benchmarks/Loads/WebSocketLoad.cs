using System.Diagnostics;
using System.Net.WebSockets;

namespace FastCgi.Benchmarks.Loads;

/// <summary>
/// WebSockets that send a message and wait for its echo, one after the other. This process makes the load, so the rate
/// is its own where the back end is faster; what a message costs the back end is not.
/// </summary>
internal sealed class WebSocketLoad : IHttpLoad
{
    private const int Largest = 64 * 1024;

    public Task<string> DescribeAsync() => Task.FromResult("ClientWebSocket of .NET");

    /// <summary>One echo.</summary>
    /// <exception cref="WebSocketException">No WebSocket is opened.</exception>
    public static async Task<byte[]> AskAsync(Uri address, Workload workload)
    {
        using var socket = await ConnectAsync(address, workload);
        byte[] buffer = new byte[Largest];
        int length = await EchoAsync(socket, workload.Message!, buffer);
        return buffer[..length];
    }

    public async Task<LoadResult> RunAsync(Uri address, LoadOrder order)
    {
        ClientWebSocket[] sockets = await Task.WhenAll(
            Enumerable.Range(0, order.Connections).Select(_ => ConnectAsync(address, order.Workload)));
        try
        {
            long began = Stopwatch.GetTimestamp();
            List<long>[] times = await Task.WhenAll(sockets.Select(
                socket => Task.Run(() => EchoUntilAsync(socket, order, began))));
            var duration = Stopwatch.GetElapsedTime(began);
            long[] sorted = [.. times.SelectMany(static one => one).Order()];
            return sorted.Length == 0
                ? throw new InvalidOperationException("no message came back")
                : new LoadResult(sorted.Length, 0, duration, Percentile(sorted, 50), Percentile(sorted, 99));
        }
        catch (WebSocketException exception)
        {
            throw new InvalidOperationException($"a WebSocket broke off: {exception.Message}", exception);
        }
        finally
        {
            foreach (var socket in sockets)
            {
                socket.Dispose();
            }
        }
    }

    private static async Task<ClientWebSocket> ConnectAsync(Uri address, Workload workload)
    {
        var socket = new ClientWebSocket();
        await socket.ConnectAsync(
            new UriBuilder(new Uri(address, workload.Target)) { Scheme = "ws" }.Uri, CancellationToken.None);
        return socket;
    }

    private static async Task<List<long>> EchoUntilAsync(ClientWebSocket socket, LoadOrder order, long began)
    {
        List<long> times = [];
        byte[] buffer = new byte[Largest];
        while (Stopwatch.GetElapsedTime(began) < order.Duration)
        {
            long sent = Stopwatch.GetTimestamp();
            await EchoAsync(socket, order.Workload.Message!, buffer);
            times.Add(Stopwatch.GetTimestamp() - sent);
        }

        return times;
    }

    private static async Task<int> EchoAsync(ClientWebSocket socket, byte[] message, byte[] buffer)
    {
        await socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
        int length = 0;
        ValueWebSocketReceiveResult result;
        do
        {
            result = await socket.ReceiveAsync(buffer.AsMemory(length), CancellationToken.None);
            length += result.Count;
        }
        while (!result.EndOfMessage);

        return length;
    }

    private static TimeSpan Percentile(long[] sorted, int percent) =>
        Stopwatch.GetElapsedTime(0, sorted[(sorted.Length - 1) * percent / 100]);
}
