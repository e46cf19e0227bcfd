using System.Net.WebSockets;

namespace FastCgi.Benchmarks.Memory;

/// <summary>WebSockets that are open and say nothing but a ping now and then.</summary>
internal sealed class IdleSocketLoad(int sockets, TimeSpan quiet) : MemoryLoad
{
    private const int Dialling = 20;

    private static readonly TimeSpan s_pingInterval = TimeSpan.FromSeconds(15);

    public override string Title =>
        $"{sockets:N0} idle WebSockets, a ping each {s_pingInterval.TotalSeconds:F0} s, for {quiet.TotalSeconds:F0} s";

    public override IReadOnlyList<string> Columns { get; } =
        ["before them MiB", "with them MiB", "KiB for each", "CPU ms", "nginx CPU ms"];

    public override int Connections => sockets;

    public override bool Fits(Target target) => target.Protocol != TargetProtocol.FastCgi;

    public override async Task<IReadOnlyList<double>> RunAsync(
        IFrontEnd front, RunningTarget target, string directory)
    {
        var address = new UriBuilder(new Uri(front.AddressOf(target), EchoWorkload.Path)) { Scheme = "ws" }.Uri;

        // Code and pools that one socket needs are no cost of a thousand.
        using (await ConnectAsync(address))
        {
        }

        double before = target.ReadUsage().MemoryBytes / Mebibyte;
        List<ClientWebSocket> open = [];
        try
        {
            foreach (var several in Enumerable.Range(0, sockets).Chunk(Dialling))
            {
                open.AddRange(await Task.WhenAll(several.Select(_ => ConnectAsync(address))));
            }

            var cpu = target.ReadUsage().Cpu;
            var frontCpu = front.ReadUsage().Cpu;
            using var end = new CancellationTokenSource(quiet);
            await Task.WhenAll(open.Select(socket => ListenAsync(socket, end.Token)));
            var usage = target.ReadUsage();
            double after = usage.MemoryBytes / Mebibyte;
            return
            [
                before,
                after,
                (after - before) * 1024 / sockets,
                (usage.Cpu - cpu).TotalMilliseconds,
                (front.ReadUsage().Cpu - frontCpu).TotalMilliseconds,
            ];
        }
        finally
        {
            open.ForEach(static socket => socket.Dispose());
        }
    }

    private static async Task<ClientWebSocket> ConnectAsync(Uri address)
    {
        var socket = new ClientWebSocket();

        // With a timeout it sends pings that must be answered, and not the pongs that nobody answers.
        socket.Options.KeepAliveInterval = s_pingInterval;
        socket.Options.KeepAliveTimeout = s_pingInterval;
        await socket.ConnectAsync(address, CancellationToken.None);
        return socket;
    }

    /// <summary>Until the time is over, which is the only good end.</summary>
    private static async Task ListenAsync(ClientWebSocket socket, CancellationToken end)
    {
        try
        {
            await socket.ReceiveAsync(new byte[16], end);
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            return;
        }
        catch (WebSocketException exception)
        {
            throw new InvalidOperationException($"a WebSocket broke off: {exception.Message}", exception);
        }

        throw new InvalidOperationException("the echo sent a message that nobody asked for");
    }
}
