using System.Net;
using FastCgi.Client.Requests;

namespace FastCgi.Client.Tests.Requests;

/// <summary>Bodies leave while responses come.</summary>
public sealed class RequestBodyTests
{
    [Fact]
    public async Task A_small_request_leaves_in_one_write()
    {
        var writes = new List<int>();
        using var handler = new FastCgiHandler(new FastCgiHandlerOptions
        {
            ConnectCallback = (_, _) => new(new CountingStream(writes)),
        });
        using var invoker = new HttpMessageInvoker(handler);
        using var request = new HttpRequestMessage(HttpMethod.Post, "http://localhost/") { Content = new StringContent("body") };
        await Assert.ThrowsAsync<FastCgiException>(() => invoker.SendAsync(request, default).Within("an end"));
        Assert.Single(writes);
    }

    [Fact]
    public async Task An_application_that_answers_while_it_receives_does_not_deadlock()
    {
        using var application = new ScriptedApplication(window: 4096);
        const int Size = 1_000_000;
        using var request = ScriptedApplication.Post(new ByteArrayContent(new byte[Size]));
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        var connection = await application.AcceptAsync();
        await connection.ExpectHeadAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\n"));
        using var response = await sending.Within("a response before the body has left");
        Stream body = await response.Content.ReadAsStreamAsync();
        int received = 0;
        while (received < Size)
        {
            var record = await connection.ExpectRecordAsync();
            received += record.Content.Length;
            byte[] echoed = new byte[record.Content.Length];
            Task echoing = connection.SendAsync(new RecordBuilder().Stream(6, 1, record.Content));
            await body.ReadExactlyAsync(echoed).AsTask().Within("the echo");
            await echoing;
        }

        Assert.Empty((await connection.ExpectRecordAsync()).Content);
        await connection.SendAsync(new RecordBuilder().End());
        Assert.Equal(0, await body.ReadAsync(new byte[1]).AsTask().Within("the end"));
    }

    [Fact]
    public async Task A_head_leaves_before_a_slow_body()
    {
        using var application = new ScriptedApplication();
        var slow = new SlowContent();
        using var request = ScriptedApplication.Post(slow);
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        var connection = await application.AcceptAsync();
        await connection.ExpectHeadAsync();
        slow.GoOn.SetResult();
        Assert.Equal("slow"u8.ToArray(), (await connection.ExpectRecordAsync()).Content);
        Assert.Empty((await connection.ExpectRecordAsync()).Content);
        await connection.AnswerAsync(sending);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_fails_fails_the_request(bool isOnKept)
    {
        using var application = new ScriptedApplication();
        var kept = isOnKept ? await KeptAsync(application) : null;
        var slow = new SlowContent();
        using var request = ScriptedApplication.Post(slow);
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        var connection = kept ?? await application.AcceptAsync();
        await connection.ExpectHeadAsync();
        var broken = new InvalidDataException("broken");
        slow.GoOn.SetException(broken);
        Assert.Same(broken, await Assert.ThrowsAsync<InvalidDataException>(() => sending.Within("an error")));
        await connection.ExpectClosedAsync();
    }

    [Theory]
    [InlineData(3, false)]
    [InlineData(5, false)]
    [InlineData(5, true)]
    public async Task A_body_of_another_length_than_declared_fails_the_request(long declared, bool isOnKept)
    {
        using var application = new ScriptedApplication();
        if (isOnKept)
        {
            await KeptAsync(application);
        }

        using var request = ScriptedApplication.Post(new StringContent("body"));
        request.Content!.Headers.ContentLength = declared;
        await application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
    }

    [Fact]
    public async Task A_body_without_a_length_is_streamed_to_FastCGI_and_buffered_for_PHP()
    {
        foreach (string? root in (string?[])[null, "/srv"])
        {
            using var application = new ScriptedApplication(options => options.DocumentRoot = root);
            var slow = new SlowContent();
            slow.GoOn.SetResult();
            using var request = ScriptedApplication.Post(slow);
            _ = application.SendAsync(request);
            var connection = await application.AcceptAsync();
            var received = await connection.ExpectRequestAsync();
            Assert.Equal(root is null ? null : "4", received.Parameters.GetValueOrDefault("CONTENT_LENGTH"));
            Assert.Equal("slow"u8.ToArray(), received.Body);
        }
    }

    /// <summary>On a shared connection the send goes on without its caller, and its bytes must stay what they are.</summary>
    [Fact]
    public async Task Nothing_is_written_behind_a_send_that_broke_off()
    {
        using var cancellation = new CancellationTokenSource();
        await using var connection = new StalledStream();
        using var output = new OutputBuffer();
        await using var stdin = new StdinStream(connection, output, requestId: 1, declaredLength: null) { IsStreaming = true };
        Task sending = stdin.WriteAsync(new byte[4000], cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await Assert.ThrowsAsync<IOException>(() => stdin.WriteAsync(new byte[20_000]).AsTask().Within("an error"));
        await Assert.ThrowsAsync<IOException>(() => stdin.CompleteAsync(default).AsTask().Within("an error"));
        Assert.True(connection.Sent.Equals(output.Written));
    }

    /// <summary>A content that two copies read at the same time would be sent mixed up.</summary>
    [Fact]
    public async Task A_body_is_sent_again_when_its_first_copy_has_ended()
    {
        BreakingStream? broken = null;
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            var connect = options.ConnectCallback!;
            options.ConnectCallback = async (context, cancellationToken) => broken is null
                ? broken = new BreakingStream(Response.Of("A: b\n\n").ToArray())
                : await connect(context, cancellationToken);
        });
        using (var response = await application.SendAsync().Within("a response"))
        {
            await response.Content.ReadAsByteArrayAsync().Within("the body");
        }

        var content = new TwiceContent();
        using var request = ScriptedApplication.Post(content);
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        await Task.Run(broken!.EndRead).Within("the end of the connection");
        Assert.Equal(1, content.Copies);
        content.GoOn.SetResult();
        var connection = await application.AcceptAsync();
        Assert.Equal("twice"u8.ToArray(), (await connection.ExpectRequestAsync()).Body);
        await connection.AnswerAsync(sending);
    }

    /// <summary>Two requests, behind which a body that can be read only once goes on their connection too.</summary>
    private static async Task<ApplicationConnection> KeptAsync(ScriptedApplication application)
    {
        ApplicationConnection? connection = null;
        for (int i = 0; i < 2; i++)
        {
            Task<HttpResponseMessage> sending = application.SendAsync();
            connection ??= await application.AcceptAsync();
            await connection.ServeAsync(sending);
        }

        return connection!;
    }

    private sealed class SlowContent : HttpContent
    {
        public TaskCompletionSource GoOn { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await GoOn.Task.Within("leave to go on");
            await stream.WriteAsync("slow"u8.ToArray());
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }

    /// <summary>It can be sent again. Its first copy goes on when the test says so.</summary>
    private sealed class TwiceContent() : ByteArrayContent("twice"u8.ToArray())
    {
        public TaskCompletionSource GoOn { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Copies { get; private set; }

        protected override async Task SerializeToStreamAsync(
            Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            Copies++;
            await GoOn.Task.Within("leave to go on");
            await base.SerializeToStreamAsync(stream, context, cancellationToken);
        }
    }

    /// <summary>A connection that serves one request, then takes no bytes, and ends when the test says so.</summary>
    private sealed class BreakingStream(byte[] response) : MemoryStream
    {
        private readonly TaskCompletionSource<int> _read = new();
        private int _writes;
        private int _reads;

        public void EndRead() => _read.SetResult(0);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            ++_writes == 1 ? default : ValueTask.FromException(new IOException("broken"));

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (++_reads > 1)
            {
                return new(_read.Task);
            }

            response.CopyTo(buffer);
            return new(response.Length);
        }
    }

    /// <summary>A connection whose only send ends by its token.</summary>
    private sealed class StalledStream : MemoryStream
    {
        public ReadOnlyMemory<byte> Sent { get; private set; }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Sent = buffer;
            return new(Task.Delay(Timeout.Infinite, cancellationToken));
        }
    }

    private sealed class CountingStream(List<int> writes) : MemoryStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            writes.Add(buffer.Length);
            return default;
        }
    }
}
