namespace FastCgi.WebServerKit;

/// <summary>
/// One HTTP/1.1 connection that sends exactly the bytes it is given: targets that no client library would send, pieces
/// of a body, an early end. The answer is parsed, never repaired.
/// </summary>
internal sealed class RawHttpClient : IAsyncDisposable
{
    private readonly Socket _socket =
        new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    private readonly byte[] _buffer = new byte[64 * 1024];
    private int _start;
    private int _end;

    private RawHttpClient()
    {
    }

    /// <summary>The connection ended by a reset, so a body without a length is not whole.</summary>
    public bool WasReset { get; private set; }

    public static async Task<RawHttpClient> ConnectAsync(IPEndPoint server)
    {
        var client = new RawHttpClient();
        await client._socket.ConnectAsync(server).Within($"a connection to {server}");
        return client;
    }

    /// <summary>Sends each character as one byte.</summary>
    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = await _socket.SendAsync(bytes, SocketFlags.None).AsTask().Within("room to send a request");
            bytes = bytes[sent..];
        }
    }

    public async Task<RawHead> ReadHeadAsync()
    {
        var statusLine = await ReadLineAsync() ?? throw new IOException("The connection ended before a response.");
        var parts = statusLine.Split(' ', 3);
        Assert.StartsWith("HTTP/1.", parts[0], StringComparison.Ordinal);

        var headers = new List<(string, string)>();
        while (await ReadLineAsync() is { } line)
        {
            if (line.Length == 0)
            {
                var reason = parts.Length > 2 ? parts[2] : "";
                return new RawHead(int.Parse(parts[1], CultureInfo.InvariantCulture), reason, headers);
            }

            var colon = line.IndexOf(':', StringComparison.Ordinal);
            headers.Add((line[..colon], line[(colon + 1)..].Trim()));
        }

        throw new IOException("The connection ended inside the response head.");
    }

    public RawBodyReader ReadBody(RawHead head, bool isHead = false) => new(this, head, isHead);

    public async Task<RawResponse> ReadResponseAsync(bool isHead = false)
    {
        var head = await ReadHeadAsync();
        while (head.Status < 200)
        {
            head = await ReadHeadAsync();
        }

        var body = ReadBody(head, isHead);
        using var bytes = new MemoryStream();
        while (await body.ReadAsync() is { IsEmpty: false } piece)
        {
            bytes.Write(piece.Span);
        }

        return new RawResponse(head, bytes.ToArray(), body.IsTorn);
    }

    /// <returns>Null when the connection ended first.</returns>
    public async Task<string?> ReadLineAsync()
    {
        var line = new StringBuilder();
        while (true)
        {
            if (_start == _end && !await FillAsync())
            {
                return null;
            }

            var found = _buffer.AsSpan(_start.._end).IndexOf((byte)'\n');
            var length = found < 0 ? _end - _start : found + 1;
            line.Append(Encoding.Latin1.GetString(_buffer, _start, length));
            _start += length;
            if (found >= 0)
            {
                return line.ToString().TrimEnd('\r', '\n');
            }
        }
    }

    /// <returns>What has come, at most so many bytes; empty when the connection ended.</returns>
    public async Task<ReadOnlyMemory<byte>> ReadAsync(long atMost)
    {
        if (_start == _end && !await FillAsync())
        {
            return default;
        }

        var length = (int)Math.Min(atMost, _end - _start);
        var piece = _buffer.AsMemory(_start, length);
        _start += length;
        return piece;
    }

    /// <summary>The end as a browser makes it: nothing more is read, what comes is refused.</summary>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<bool> FillAsync()
    {
        try
        {
            _start = 0;
            _end = await _socket.ReceiveAsync(_buffer).Within("bytes of a response");
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            WasReset = true;
            _end = 0;
        }

        return _end > 0;
    }
}
