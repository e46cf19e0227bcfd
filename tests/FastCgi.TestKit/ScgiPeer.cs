using System.Net;
using System.Net.Sockets;
using System.Text;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// The web server's side of an SCGI connection, over a real socket. One caller at a time; every await has a deadline.
/// </summary>
public sealed class ScgiPeer : IAsyncDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];
    private readonly List<byte> _arrived = [];

    private ScgiPeer(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    public static async Task<ScgiPeer> ConnectAsync(EndPoint endPoint) =>
        new((await ScriptedPeer.ConnectAsync(endPoint)).Socket);

    /// <summary>Head and body, as nginx makes them: CONTENT_LENGTH and SCGI come first.</summary>
    public static byte[] Request(RequestScript request) =>
    [
        .. Netstring(Headers(
            [
                ("CONTENT_LENGTH", $"{request.Body.Length}"),
                ("SCGI", "1"),
                .. request.ToParams().Where(param => param.Name != "CONTENT_LENGTH"),
            ])),
        .. request.Body,
    ];

    /// <summary>Each name and each value with a NUL behind it.</summary>
    public static byte[] Headers(params IEnumerable<(string Name, string Value)> headers) =>
        Encoding.UTF8.GetBytes(string.Concat(headers.Select(header => $"{header.Name}\0{header.Value}\0")));

    public static byte[] Netstring(byte[] content) =>
        [.. Encoding.ASCII.GetBytes($"{content.Length}:"), .. content, (byte)','];

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = await Socket.SendAsync(bytes).AsTask().Within("room to send in");
            bytes = bytes[sent..];
        }
    }

    public Task SendAsync(RequestScript request) => SendAsync(Request(request));

    /// <summary>The direction to the server ends, the other one goes on.</summary>
    public void EndSending() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>A whole request, and its answer.</summary>
    public async Task<CgiResponse> RoundTripAsync(RequestScript request)
    {
        await SendAsync(request);
        return await ExpectResponseAsync();
    }

    /// <summary>Everything up to the end of the stream.</summary>
    public async Task<CgiResponse> ExpectResponseAsync() => CgiResponse.From(await ExpectAllAsync());

    /// <summary>Everything up to the end of the stream, whatever it is.</summary>
    public async Task<byte[]> ExpectAllAsync()
    {
        while (await ReceiveAsync("the end of an answer"))
        {
        }

        return Take(_arrived.Count);
    }

    /// <summary>A whole head; what was sent behind it stays to be expected.</summary>
    public async Task<CgiResponse> ExpectHeadAsync()
    {
        int end;
        while ((end = Encoding.Latin1.GetString([.. _arrived]).IndexOf("\r\n\r\n", StringComparison.Ordinal)) < 0)
        {
            if (!await ReceiveAsync("a head"))
            {
                Assert.Fail($"The stream ended before a head did: {Seen()}");
            }
        }

        return CgiResponse.From(Take(end + 4));
    }

    /// <summary>The next bytes, this many.</summary>
    public async Task<byte[]> ExpectBytesAsync(int count)
    {
        while (_arrived.Count < count)
        {
            // What arrived is described after a failure alone: at each of the reads it takes longer than all else.
            if (!await ReceiveAsync($"{count} bytes"))
            {
                Assert.Fail($"The stream ended too early: {Seen()}");
            }
        }

        return Take(count);
    }

    public async Task<string> ExpectTextAsync(string expected)
    {
        var text = Encoding.UTF8.GetString(await ExpectBytesAsync(Encoding.UTF8.GetByteCount(expected)));
        Assert.Equal(expected, text);
        return text;
    }

    public async Task ExpectEndOfStreamAsync() => Assert.False(
        _arrived.Count > 0 || await ReceiveAsync("an end of the stream"),
        $"Instead of an end of the stream came {Seen()}");

    /// <summary>The connection ends by a reset. Returns what came before.</summary>
    public async Task<CgiResponse> ExpectResetAsync()
    {
        var reset = await Assert.ThrowsAsync<SocketException>(async () =>
        {
            while (await ReceiveAsync("a reset"))
            {
            }
        });
        Assert.Equal(SocketError.ConnectionReset, reset.SocketErrorCode);
        return CgiResponse.From([.. _arrived]);
    }

    public ValueTask DisposeAsync()
    {
        Socket.Dispose();
        return default;
    }

    private async Task<bool> ReceiveAsync(string awaited)
    {
        var received = await Socket.ReceiveAsync(_buffer).Within(awaited, Seen);
        _arrived.AddRange(_buffer.AsSpan(0, received));
        return received > 0;
    }

    private byte[] Take(int count)
    {
        byte[] taken = [.. _arrived.Take(count)];
        _arrived.RemoveRange(0, count);
        return taken;
    }

    private string Seen() => Encoding.Latin1.GetString([.. _arrived]);
}
