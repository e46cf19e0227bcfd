using System.Net;
using System.Net.Sockets;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// The web server's side of a connection, over a real socket: a test says what it sends and what it expects.
/// One caller at a time. Every await has a deadline; there is no "expect nothing for a while", see
/// <see cref="SynchronizeAsync"/>. What arrives for several ids is kept apart.
/// </summary>
public sealed class ScriptedPeer : IAsyncDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];
    private readonly RecordCutter _cutter = new();
    private readonly List<WireRecord> _arrived = [];
    private bool _isEnded;

    /// <summary>Over a socket that is connected already.</summary>
    public ScriptedPeer(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    /// <summary>For each await.</summary>
    public TimeSpan? Timeout { get; set; }

    public static async Task<ScriptedPeer> ConnectAsync(EndPoint endPoint)
    {
        var isUnix = endPoint is UnixDomainSocketEndPoint;
        var socket = new Socket(
            endPoint.AddressFamily, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
        if (!isUnix)
        {
            socket.NoDelay = true;
        }

        // A blocking connect waits for room in the backlog of a unix socket; ConnectAsync fails with EAGAIN.
        var connecting = isUnix ? Task.Run(() => socket.Connect(endPoint)) : socket.ConnectAsync(endPoint);
        await connecting.Within($"a connection to {endPoint}");
        return new ScriptedPeer(socket);
    }

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = await Socket.SendAsync(bytes).AsTask().Within("room to send in", Seen, Timeout);
            bytes = bytes[sent..];
        }
    }

    public Task SendAsync(RecordBuilder records) => SendAsync(records.ToArray());

    /// <summary>Each piece in a send of its own.</summary>
    public async Task SendAsync(IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        foreach (var piece in pieces)
        {
            await SendAsync(piece);
        }
    }

    /// <summary>A whole request in one send.</summary>
    public Task SendRequestAsync(RequestScript request) => SendAsync(new RecordBuilder().Request(request));

    /// <inheritdoc cref="SendRequestAsync(RequestScript)"/>
    public Task SendRequestAsync(
        string method = "GET",
        string target = "/",
        IReadOnlyList<(string Name, string Value)>? headers = null,
        byte[]? body = null,
        bool keepConnection = true,
        int id = 1) =>
        SendRequestAsync(new RequestScript
        {
            Id = id,
            Method = method,
            Target = target,
            Headers = headers ?? [],
            Body = body ?? [],
            KeepConnection = keepConnection,
        });

    /// <summary>A whole request, and its answer.</summary>
    public async Task<CgiResponse> RoundTripAsync(RequestScript request)
    {
        await SendRequestAsync(request);
        return await ExpectResponseAsync(request.Id);
    }

    /// <summary>The last of a request, and its answer.</summary>
    public async Task<CgiResponse> RoundTripAsync(RecordBuilder records)
    {
        await SendAsync(records);
        return await ExpectResponseAsync(records.Id);
    }

    /// <summary>The next record of any id, in the order of arrival.</summary>
    public Task<WireRecord> ExpectRecordAsync() => ExpectAsync("a record", _ => true);

    /// <summary>The next record of an id; records of other ids are kept.</summary>
    public Task<WireRecord> ExpectRecordAsync(int id) => ExpectAsync($"a record of id {id}", r => r.RequestId == id);

    /// <summary>Records of an id up to its END_REQUEST; records of other ids are kept.</summary>
    public async Task<CgiResponse> ExpectResponseAsync(int id = 1)
    {
        List<WireRecord> records = [];
        do
        {
            var record = await ExpectAsync(
                $"the END_REQUEST of id {id}", r => r.RequestId == id || r.Version != 1, records);
            Assert.True(record.Version == 1, $"Instead of the rest of the response of id {id} came {record}.");
            records.Add(record);
        }
        while (records[^1].Type != WireRecord.EndRequest);
        return CgiResponse.From(records);
    }

    /// <summary>Records of an id until its STDOUT holds a whole head; what was sent of the body is with it.</summary>
    public async Task<CgiResponse> ExpectResponseStartAsync(int id = 1)
    {
        List<WireRecord> records = [];
        CgiResponse response;
        do
        {
            var record = await ExpectAsync($"a response head of id {id}", r => r.RequestId == id, records);
            records.Add(record);
            response = CgiResponse.From(records);
        }
        while (response.StatusCode == 0 && records[^1].Type != WireRecord.EndRequest);
        return response;
    }

    /// <summary>A response of an id that the server tears: eight zero bytes, then the end of the connection.</summary>
    public async Task<CgiResponse> ExpectTornResponseAsync(int id = 1)
    {
        List<WireRecord> records = [];
        while (true)
        {
            var record = await ExpectAsync(
                $"a torn response of id {id}", r => r.RequestId == id || r.IsTear, records);
            if (record.IsTear)
            {
                break;
            }

            Assert.True(record.Type != WireRecord.EndRequest, $"The response of id {id} has a clean end: {record}.");
            records.Add(record);
        }

        await ExpectEndOfStreamAsync();
        return CgiResponse.From(records);
    }

    /// <summary>
    /// Asks for GET_VALUES and waits for the answer: the server has by then read all that was sent before. Returns the
    /// records that came first, so that a test shows that there was no answer without waiting for one. They are kept:
    /// a test that does not look at them finds them in what it expects next.
    /// </summary>
    public async Task<IReadOnlyList<WireRecord>> SynchronizeAsync()
    {
        await SendAsync(new RecordBuilder().GetValues("FCGI_MAX_CONNS"));
        var before = await ExpectPositionAsync("GET_VALUES_RESULT", record => record.Type == WireRecord.GetValuesResult);
        _arrived.RemoveAt(before);
        return _arrived[..before];
    }

    /// <summary>The server closes in order, and sends nothing more before.</summary>
    public async Task ExpectEndOfStreamAsync()
    {
        var isMore = _arrived.Count > 0
            || await ReceiveAsync("an end of the stream");
        Assert.False(isMore, $"Instead of an end of the stream came {Seen()}");
        Assert.True(_cutter.Rest == 0, $"The stream ended inside a record, after {_cutter.Rest} bytes of it.");
    }

    /// <summary>The server closes, in order or by a reset. Returns the records that came before.</summary>
    public async Task<IReadOnlyList<WireRecord>> ExpectClosedAsync()
    {
        try
        {
            while (await ReceiveOrThrowAsync("an end of the connection"))
            {
            }
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown)
        {
            _isEnded = true;
        }

        List<WireRecord> records = [.. _arrived];
        _arrived.Clear();
        return records;
    }

    /// <summary>Everything up to the end of the connection as bytes, for answers that are no records.</summary>
    public async Task<byte[]> ExpectBytesUntilClosedAsync()
    {
        List<byte> bytes = [];
        int received;
        do
        {
            received = await Socket.ReceiveAsync(_buffer)
                .Within("an end of the connection", () => $"{bytes.Count} bytes", Timeout);
            bytes.AddRange(_buffer.AsSpan(0, received));
        }
        while (received > 0);
        _isEnded = true;
        return [.. bytes];
    }

    /// <summary>Half-closes: the server reads an end of the stream and can still answer.</summary>
    public void ShutdownSend() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>Throws the connection away; over TCP the server gets a reset.</summary>
    public void Reset()
    {
        Socket.LingerState = new LingerOption(enable: true, seconds: 0);
        Socket.Close();
    }

    public ValueTask DisposeAsync()
    {
        Socket.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>A record after those <paramref name="before"/>, which a message shows too.</summary>
    private async Task<WireRecord> ExpectAsync(
        string awaited, Predicate<WireRecord> isWanted, List<WireRecord>? before = null)
    {
        var found = await ExpectPositionAsync(awaited, isWanted, before);
        var record = _arrived[found];
        _arrived.RemoveAt(found);
        return record;
    }

    private async Task<int> ExpectPositionAsync(
        string awaited, Predicate<WireRecord> isWanted, List<WireRecord>? before = null)
    {
        while (true)
        {
            if (_arrived.FindIndex(isWanted) is var found and >= 0)
            {
                return found;
            }

            if (!await ReceiveAsync(awaited, before))
            {
                Assert.Fail($"The server closed. Awaited: {awaited}. Seen: {Seen(before)}");
            }
        }
    }

    /// <summary>False at the end of the stream; a reset fails the test.</summary>
    private async Task<bool> ReceiveAsync(string awaited, List<WireRecord>? before = null)
    {
        try
        {
            return await ReceiveOrThrowAsync(awaited, before);
        }
        catch (SocketException e)
        {
            throw new InvalidOperationException($"{e.SocketErrorCode} instead of {awaited}. Seen: {Seen(before)}", e);
        }
    }

    private async Task<bool> ReceiveOrThrowAsync(string awaited, List<WireRecord>? before = null)
    {
        var received = _isEnded
            ? 0
            : await Socket.ReceiveAsync(_buffer).Within(awaited, () => Seen(before), Timeout);
        _isEnded = received == 0;
        _cutter.Add(_buffer.AsSpan(0, received));
        while (_cutter.Take() is { } record)
        {
            _arrived.Add(record);
        }

        return !_isEnded;
    }

    private string Seen() => Seen(before: null);

    private string Seen(List<WireRecord>? before) =>
        $"{Show([.. before ?? [], .. _arrived])} and {_cutter.Rest} bytes of a further record.";

    private static string Show(List<WireRecord> records) =>
        records.Count switch
        {
            0 => "no record",
            <= 5 => string.Join(", ", records),
            _ => $"{records.Count} records, the last {records[^1]}",
        };
}
