using System.Net.Sockets;
using static FastCgi.TestKit.StreamCalls;

namespace FastCgi.Client.Tests.Responses;

/// <summary>
/// Odd calls do what they do with HttpClient over HTTP: null buffers and wrong ranges on the streams of a request and a
/// response, tokens that are cancelled, use after the disposal. The same call runs on a SocketsHttpHandler.
/// </summary>
public sealed class HttpStreamTests
{
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    /// <summary>On the content of a response of five bytes.</summary>
    private static readonly Dictionary<string, Func<Stream, Task>> s_reads = new(
        // Its own test has what a read does behind the disposal.
        StreamCalls.Reads.Where(static call => call.Key != "Dispose, then ReadAsync"))
    {
        ["ReadAsync"] = body => body.ReadAsync(new byte[9], 0, 9),
        ["ReadAsync of nothing, cancelled"] = body => body.ReadAsync(Memory<byte>.Empty, s_cancelled).AsTask(),
        ["CopyTo(null)"] = body => Now(() => body.CopyTo(null!)),
        ["CanRead"] = body => Now(() => body.CanRead),
        ["CanWrite"] = body => Now(() => body.CanWrite),
        ["Dispose, then CanRead"] = body => Now(() => Disposed(body).CanRead),
        ["Dispose, then CanWrite"] = body => Now(() => Disposed(body).CanWrite),
        ["the end, then ReadAsync, cancelled"] = async body =>
        {
            await body.CopyToAsync(Stream.Null);
            _ = await body.ReadAsync(new byte[1], s_cancelled);
        },
        ["Dispose, then ReadAsync, cancelled"] = body =>
        {
            body.Dispose();
            return body.ReadAsync(new byte[1], 0, 1, s_cancelled);
        },
    };

    private static readonly Dictionary<string, Func<Stream, Task>> s_noWrites = new()
    {
        ["Write"] = body => Now(() => body.Write(new byte[1], 0, 1)),
        ["Write(null, 0, 0)"] = body => Now(() => body.Write(null!, 0, 0)),
        ["WriteAsync"] = body => body.WriteAsync(new byte[1], 0, 1),
        ["WriteAsync of memory"] = body => body.WriteAsync(new byte[1]).AsTask(),
        ["WriteAsync(null, 0, 0)"] = body => body.WriteAsync(null!, 0, 0),
        ["SetLength"] = body => Now(() => body.SetLength(1)),
        ["Seek"] = body => Now(() => body.Seek(0, SeekOrigin.Begin)),
        ["Length"] = body => Now(() => body.Length),
        ["Position"] = body => Now(() => body.Position = 0),
    };

    /// <summary>On the content of a request.</summary>
    private static readonly Dictionary<string, Func<Stream, Task>> s_writes = new(WrongWrites)
    {
        ["WriteAsync of nothing"] = body => body.WriteAsync(ReadOnlyMemory<byte>.Empty).AsTask(),
        ["Flush"] = body => Now(body.Flush),
        ["Read"] = body => Now(() => body.Read(new byte[1], 0, 1)),
        ["ReadAsync"] = body => body.ReadAsync(new byte[1], 0, 1),
        ["ReadAsync(null, 0, 0)"] = body => body.ReadAsync(null!, 0, 0),
    };

    /// <summary>An upgraded stream can be read too.</summary>
    private static readonly Dictionary<string, Func<Stream, Task>> s_switchedWrites = s_writes
        .Where(write => !write.Key.StartsWith("Read", StringComparison.Ordinal) && write.Key != "Flush")
        .ToDictionary();

    /// <summary>Of the content of a response.</summary>
    private static readonly Dictionary<string, Func<HttpContent, Task>> s_contents = new()
    {
        ["ReadAsStringAsync"] = content => content.ReadAsStringAsync(),
        ["CopyToAsync"] = content => TextOfAsync(copy => content.CopyToAsync(copy)),
        ["CopyTo"] = content => TextOfAsync(copy => Now(() => content.CopyTo(copy, null, default))),
        ["LoadIntoBufferAsync"] = content => content.LoadIntoBufferAsync(),
        ["LoadIntoBufferAsync(1)"] = content => content.LoadIntoBufferAsync(1),
        ["ReadAsStreamAsync"] = async content => await (await content.ReadAsStreamAsync()).CopyToAsync(Stream.Null),
        ["ReadAsStream"] = content => Now(() => content.ReadAsStream().CopyTo(Stream.Null)),
        ["nothing"] = _ => Task.CompletedTask,
    };

    public static MatrixTheoryData<string, string> Contents => new([.. s_contents.Keys], [.. s_contents.Keys]);

    public static TheoryData<string> Reads => [.. s_reads.Keys, .. s_noWrites.Keys];

    public static TheoryData<string> Writes => [.. s_writes.Keys];

    public static TheoryData<string> Switched => [.. s_reads.Keys, .. s_switchedWrites.Keys];

    [Theory, MemberData(nameof(Reads))]
    public async Task A_call_of_the_responses_stream_does_what_it_does_over_HTTP(string name)
    {
        var call = s_reads.GetValueOrDefault(name) ?? s_noWrites[name];

        Assert.Equal(await OnResponseAsync(call, isHttp: true), await OnResponseAsync(call, isHttp: false));
    }

    [Theory, MemberData(nameof(Contents))]
    public async Task A_content_can_be_read_as_often_as_over_HTTP(string first, string second) => Assert.Equal(
        await OnContentAsync(s_contents[first], s_contents[second], isHttp: true),
        await OnContentAsync(s_contents[first], s_contents[second], isHttp: false));

    [Theory, MemberData(nameof(Writes))]
    public async Task A_call_of_the_requests_stream_does_what_it_does_over_HTTP(string name) =>
        Assert.Equal(
            await OnRequestAsync(s_writes[name], isHttp: true), await OnRequestAsync(s_writes[name], isHttp: false));

    [Theory, MemberData(nameof(Switched))]
    public async Task A_call_of_an_upgraded_stream_does_what_it_does_over_HTTP(string name)
    {
        var call = s_reads.GetValueOrDefault(name) ?? s_switchedWrites[name];

        Assert.Equal(
            await OnResponseAsync(call, isHttp: true, isSwitched: true),
            await OnResponseAsync(call, isHttp: false, isSwitched: true));
    }

    /// <summary>As HTTP/2's stream, and not as HTTP/1's, which pretends that the content ended there.</summary>
    [Fact]
    public async Task A_stream_that_was_disposed_is_not_at_its_end() => Assert.Equal(
        "fails with ObjectDisposedException ",
        await OnResponseAsync(
            body =>
            {
                body.Dispose();
                return body.ReadAsync(new byte[1], 0, 1);
            },
            isHttp: false));

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_send_whose_token_is_cancelled_fails_by_it(bool isHttp)
    {
        using var peer = new Peer(isHttp);

        var exception = await Assert.ThrowsAsync<TaskCanceledException>(
            () => peer.SendAsync(HttpMethod.Get, cancellationToken: s_cancelled).Within("the send"));

        Assert.Equal(s_cancelled, exception.CancellationToken);
    }

    private static Task<string> OnResponseAsync(Func<Stream, Task> call, bool isHttp, bool isSwitched = false) =>
        OnResponseAsync(
            async content =>
            {
                Stream body = await content.ReadAsStreamAsync();
                return await TellAsync(() => call(body));
            },
            isHttp,
            isSwitched);

    private static Task<string> OnContentAsync(
        Func<HttpContent, Task> first, Func<HttpContent, Task> second, bool isHttp) => OnResponseAsync(
            async content => $"{await TellAsync(() => first(content))}, then {await TellAsync(() => second(content))}",
            isHttp);

    private static async Task<string> OnResponseAsync(
        Func<HttpContent, Task<string>> tell, bool isHttp, bool isSwitched = false)
    {
        using var peer = new Peer(isHttp);
        Task<HttpResponseMessage> sending = peer.SendAsync(HttpMethod.Get, isSwitched: isSwitched);
        await peer.RespondAsync(isSwitched);
        using HttpResponseMessage response = await sending.Within("a response");
        return await tell(response.Content);
    }

    private static async Task<string> OnRequestAsync(Func<Stream, Task> call, bool isHttp)
    {
        using var peer = new Peer(isHttp);
        var told = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var content = new OwnContent(
            async (stream, _) =>
            {
                told.SetResult(await TellAsync(() => call(stream)));
                await stream.WriteAsync("hello"u8.ToArray(), CancellationToken.None);
            },
            length: 5);
        Task<HttpResponseMessage> sending = peer.SendAsync(HttpMethod.Post, content);
        await told.Task.Within("the content");
        await peer.RespondAsync();
        using HttpResponseMessage response = await sending.Within("a response");
        return await told.Task;
    }

    private static Stream Disposed(Stream stream)
    {
        stream.Dispose();
        return stream;
    }

    private static async Task<string> TextOfAsync(Func<Stream, Task> copy)
    {
        var text = new MemoryStream();
        await copy(text);
        return Encoding.ASCII.GetString(text.ToArray());
    }

    /// <summary>A handler, and the other end of its connection, which answers five bytes.</summary>
    private sealed class Peer : IDisposable
    {
        private readonly ScriptedApplication _application = new();
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly HttpMessageInvoker _invoker;
        private readonly bool _isHttp;
        private Socket? _socket;

        public Peer(bool isHttp)
        {
            _isHttp = isHttp;
            _listener.Start();
            _invoker = isHttp ? new HttpMessageInvoker(new SocketsHttpHandler()) : _application.Invoker;
        }

        public Task<HttpResponseMessage> SendAsync(
            HttpMethod method,
            HttpContent? content = null,
            bool isSwitched = false,
            CancellationToken cancellationToken = default)
        {
            var request = isSwitched ? ScriptedApplication.Upgrade() : new HttpRequestMessage(method, "") { Content = content };
            request.RequestUri = new Uri($"http://{_listener.LocalEndpoint}/");
            return _invoker.SendAsync(request, cancellationToken);
        }

        public async Task RespondAsync(bool isSwitched = false)
        {
            string head = isSwitched ? "Connection: Upgrade\r\nUpgrade: mine\r\n\r\n" : "Content-Length: 5\r\n\r\n";
            string status = isSwitched ? "101 Switching Protocols" : "200 OK";
            if (_isHttp)
            {
                _socket = await _listener.AcceptSocketAsync().Within("a connection");
                await _socket.SendAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\n{head}hello"));
                if (isSwitched)
                {
                    _socket.Shutdown(SocketShutdown.Send);
                }

                return;
            }

            ApplicationConnection connection = await _application.AcceptAsync();
            await connection.SendAsync(Response.Of($"Status: {status}\r\n{head}hello"));
        }

        public void Dispose()
        {
            _invoker.Dispose();
            _application.Dispose();
            _socket?.Dispose();
            _listener.Dispose();
        }
    }
}
