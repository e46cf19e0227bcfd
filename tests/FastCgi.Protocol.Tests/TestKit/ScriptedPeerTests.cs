using System.Net;
using System.Net.Sockets;
using System.Text;
using Xunit.Sdk;

namespace FastCgi.Protocol.Tests.TestKit;

/// <summary>The scripted peer against bytes that a server could send, over real sockets.</summary>
public sealed class ScriptedPeerTests : IAsyncLifetime
{
    private Socket _server = null!;
    private ScriptedPeer _peer = null!;

    public async ValueTask InitializeAsync()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        _peer = await ScriptedPeer.ConnectAsync(listener.LocalEndPoint!);
        _server = await listener.AcceptAsync().Within("the peer's connection");
    }

    public async ValueTask DisposeAsync()
    {
        _server.Dispose();
        await _peer.DisposeAsync();
    }

    [Fact]
    public async Task Sends_a_request_as_a_web_server_does()
    {
        await _peer.SendRequestAsync(
            "POST", "/a%20b?x=1", [("Content-Type", "text/plain"), ("X-Y", "z")], "hi"u8.ToArray(), id: 3);
        _peer.ShutdownSend();

        var (records, pairs) = await ReadRequestAsync();

        Assert.Equal([1, 4, 4, 5, 5], records.Select(record => record.Type));
        Assert.All(records, record => Assert.Equal(3, record.RequestId));
        Assert.Equal([0, 1, 1, 0, 0, 0, 0, 0], records[0].Content);
        Assert.Equal("hi"u8, records[3].Content);
        Assert.Equal("POST", pairs["REQUEST_METHOD"]);
        Assert.Equal("/a%20b?x=1", pairs["REQUEST_URI"]);
        Assert.Equal("/a b", pairs["SCRIPT_NAME"]);
        Assert.Equal("x=1", pairs["QUERY_STRING"]);
        Assert.Equal("2", pairs["CONTENT_LENGTH"]);
        Assert.Equal("text/plain", pairs["CONTENT_TYPE"]);
        Assert.Equal("z", pairs["HTTP_X_Y"]);
        Assert.Equal("example.test", pairs["HTTP_HOST"]);
    }

    [Fact]
    public async Task Reads_a_response_at_every_random_cut()
    {
        var bytes = Answer(1, "Set-Cookie: a\r\nSet-Cookie: b\r\nStatus: 404 Not Found\r\n\r\nbody").ToArray();
        foreach (var seed in Enumerable.Range(0, 5))
        {
            foreach (var piece in Splits.Random(bytes, seed))
            {
                await _server.SendAsync(piece);
            }

            var response = await _peer.ExpectResponseAsync();

            Assert.Equal(404, response.StatusCode);
            Assert.Equal("Not Found", response.Reason);
            Assert.Equal([("Set-Cookie", "a"), ("Set-Cookie", "b")], response.Headers);
            Assert.Equal("a, b", response.Header("set-cookie"));
            Assert.Null(response.Header("Status"));
            Assert.Equal("body", response.BodyText);
            Assert.Equal("oops", response.StderrText);
            Assert.Equal(0x01020304u, response.AppStatus);
            Assert.Equal(2, response.ProtocolStatus);
            Assert.True(response.IsStdoutEnded);
            Assert.Equal(4, response.Records.Count);
        }
    }

    [Fact]
    public async Task Keeps_interleaved_ids_apart()
    {
        await _server.SendAsync(new RecordBuilder()
            .Record(6, 2, "Status: 202 B\r\n\r\n2"u8)
            .Record(6, 1, "Status: 201 A\r\n\r\n1"u8)
            .Record(3, 2, new byte[8])
            .Record(3, 1, new byte[8])
            .ToArray());

        Assert.Equal(201, (await _peer.ExpectResponseAsync(1)).StatusCode);
        Assert.Equal(202, (await _peer.ExpectResponseAsync(2)).StatusCode);
    }

    [Fact]
    public async Task Reads_the_start_of_a_response_that_has_not_ended()
    {
        await _server.SendAsync(new RecordBuilder().Record(6, 1, "Status: 200 OK\r\n\r\nfirst"u8).ToArray());

        Assert.Equal("first", (await _peer.ExpectResponseStartAsync()).BodyText);
    }

    [Fact]
    public async Task Tells_a_torn_response_from_a_clean_one()
    {
        var half = new RecordBuilder().Record(6, 1, "Status: 200 OK\r\n\r\nhalf"u8);
        await _server.SendAsync(half.Raw(new byte[8]).ToArray());
        _server.Shutdown(SocketShutdown.Send);

        Assert.Equal("half", (await _peer.ExpectTornResponseAsync()).BodyText);
    }

    [Fact]
    public async Task Fails_on_a_clean_end_where_a_torn_one_is_expected()
    {
        await _server.SendAsync(Answer(1, "Status: 200 OK\r\n\r\n").ToArray());

        await Assert.ThrowsAnyAsync<XunitException>(() => _peer.ExpectTornResponseAsync());
    }

    [Fact]
    public async Task Says_what_was_awaited_and_what_came_instead()
    {
        await _server.SendAsync(new RecordBuilder().Record(6, 7, "other"u8).ToArray());
        await _peer.ExpectRecordAsync();
        await _server.SendAsync(new RecordBuilder().Record(6, 7, "another"u8).Record(6, 8, "awaited"u8).ToArray());
        await _peer.ExpectRecordAsync(8);
        _peer.Timeout = TimeSpan.FromMilliseconds(50);

        var failure = await Assert.ThrowsAnyAsync<XunitException>(() => _peer.ExpectResponseAsync(1));

        Assert.Contains("END_REQUEST of id 1", failure.Message, StringComparison.Ordinal);
        Assert.Contains("another", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Synchronizes_by_a_management_record()
    {
        var synchronized = _peer.SynchronizeAsync();
        await _server.SendAsync(new RecordBuilder().Record(7, 1, "x"u8).Record(10, 0, []).ToArray());

        Assert.Equal(WireRecord.Stderr, Assert.Single(await synchronized).Type);
        Assert.Equal(WireRecord.Stderr, (await _peer.ExpectRecordAsync(1)).Type);
    }

    [Theory]
    [InlineData(new byte[] { 1, 6, 0 })] // inside a record
    [InlineData(new byte[] { 1, 6, 0, 1, 0, 0, 0, 0 })] // behind one that nobody expects
    public async Task An_end_of_the_stream_is_no_end_inside_a_record_or_behind_another(byte[] bytes)
    {
        await _server.SendAsync(bytes);
        _server.Shutdown(SocketShutdown.Send);

        await Assert.ThrowsAnyAsync<XunitException>(() => _peer.ExpectEndOfStreamAsync());
    }

    [Fact]
    public async Task A_close_may_be_a_reset()
    {
        _server.LingerState = new LingerOption(enable: true, seconds: 0);
        _server.Close();

        Assert.Empty(await _peer.ExpectClosedAsync());
    }

    [Fact]
    public async Task Reset_is_a_reset_for_the_server()
    {
        _peer.Reset();

        var failure = await Assert.ThrowsAsync<SocketException>(
            () => _server.ReceiveAsync(new byte[1]).Within("a reset"));
        Assert.Equal(SocketError.ConnectionReset, failure.SocketErrorCode);
    }

    [Fact]
    public async Task An_answer_that_is_no_record_can_be_read_as_bytes()
    {
        await _server.SendAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray());
        _server.Shutdown(SocketShutdown.Send);

        var bytes = await _peer.ExpectBytesUntilClosedAsync();
        Assert.Equal("HTTP/1.1 400 Bad Request\r\n\r\n"u8, bytes);
    }

    [Fact]
    public async Task Connects_to_a_unix_socket()
    {
        var directory = Directory.CreateTempSubdirectory("fastcgi");
        try
        {
            using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            var endPoint = new UnixDomainSocketEndPoint(Path.Combine(directory.FullName, "s"));
            listener.Bind(endPoint);
            listener.Listen();
            await using var peer = await ScriptedPeer.ConnectAsync(endPoint);
            using var server = await listener.AcceptAsync().Within("the peer's connection");
            peer.ShutdownSend();
            server.Shutdown(SocketShutdown.Send);

            await peer.ExpectEndOfStreamAsync();
            Assert.Equal(0, await server.ReceiveAsync(new byte[1]).Within("the peer's end of stream"));
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private static RecordBuilder Answer(int id, string stdout) => new RecordBuilder()
        .Record(7, id, "oops"u8)
        .Record(6, id, Encoding.Latin1.GetBytes(stdout), padding: 3)
        .Record(6, id, [])
        .Record(3, id, [1, 2, 3, 4, 2, 0, 0, 0]);

    private async Task<(List<WireRecord> Records, Dictionary<string, string> Pairs)> ReadRequestAsync()
    {
        var bytes = await new ScriptedPeer(_server).ExpectBytesUntilClosedAsync();
        var cutter = new RecordCutter();
        cutter.Add(bytes);
        List<WireRecord> records = [];
        while (cutter.Take() is { } record)
        {
            records.Add(record);
        }

        Assert.Equal(0, cutter.Rest);
        var content = Bytes.Join(records.Where(record => record.Type == 4).Select(record => record.Content));
        return (records, RecordCutter.Pairs(content).ToDictionary(pair => pair.Name, pair => pair.Value));
    }
}
