namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>A thousand clients that do not read stop the application, and cost a little memory each.</summary>
[Collection(nameof(Alone))]
public sealed class StalledClientTests
{
    private const int Count = 1000;

    /// <summary>Kestrel's buffer of 64 KiB and its blocks, two of 16 KiB, the pipes of the test, and objects.</summary>
    private const int MostOfEach = 250_000;

    private static readonly byte[] s_head = new RecordBuilder().Stdout("Content-Type: text/plain\n\n").ToArray();
    private static readonly byte[] s_piece = new RecordBuilder().Stdout(new string('x', 4000)).ToArray();

    [Fact]
    public async Task Memory_is_bounded()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = Count, window: 4096);
        await using var front = await GatewayFront.ForwardAsync(application.Invoker);
        using var stop = new CancellationTokenSource();
        var clients = new List<(Socket Client, long[] Sent, Task Sending)>();
        try
        {
            clients.Add(await StallAsync(application, front.Uri, stop.Token));
            using var memory = new LiveMemory();
            while (clients.Count < Count)
            {
                clients.Add(await StallAsync(application, front.Uri, stop.Token));
            }

            // Nothing more is taken from the applications.
            long sent = -1;
            await Eventually.HoldsAsync(
                () => sent == (sent = clients.Sum(static one => Volatile.Read(ref one.Sent[0]))),
                () => $"{sent} bytes were sent, and more.");
            long each = memory.Growth / Count;
            Console.WriteLine($"=> {each} bytes for each client, {sent / Count} sent to it");
            Assert.InRange(each, 0, MostOfEach);
        }
        finally
        {
            await stop.CancelAsync();
            clients.ForEach(static one => one.Client.Dispose());
            await Task.WhenAll(clients.Select(static one => one.Sending)).Within("the ends");
        }
    }

    /// <summary>An endless answer to a client with small buffers that does not read it.</summary>
    private static async Task<(Socket Client, long[] Sent, Task Sending)> StallAsync(
        ScriptedApplication application, Uri uri, CancellationToken stop)
    {
        var client = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        await client.ConnectAsync(IPEndPoint.Parse(uri.Authority)).Within("a connection to Kestrel");
        await client.SendAsync(Encoding.ASCII.GetBytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).Within("the request");
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        long[] sent = [0];
        return (client, sent, SendAsync(connection, sent, stop));
    }

    private static async Task SendAsync(ApplicationConnection connection, long[] sent, CancellationToken stop)
    {
        try
        {
            await connection.Stream.WriteAsync(s_head, stop);
            while (true)
            {
                await connection.Stream.WriteAsync(s_piece, stop);
                Volatile.Write(ref sent[0], sent[0] + s_piece.Length);
            }
        }
        catch (OperationCanceledException)
        {
            // A pipe whose reader has gone takes all that is written.
        }
    }
}
