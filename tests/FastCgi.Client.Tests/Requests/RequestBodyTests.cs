using FastCgi.Client.Requests;

namespace FastCgi.Client.Tests.Requests;

/// <summary>Bodies leave while responses come.</summary>
public sealed class RequestBodyTests : ClientTest
{
    [Fact]
    public async Task A_small_request_leaves_in_one_write()
    {
        int writes = 0;
        var stream = new PeerStream
        {
            OnRead = static (_, _) => new(0),
            OnWrite = (_, _) =>
            {
                writes++;
                return default;
            },
        };
        using var application = ScriptedApplication.Over(stream);
        using var request = ScriptedApplication.Post(new StringContent("body"));
        await Assert.ThrowsAsync<FastCgiException>(() => application.SendAsync(request).Within("an end"));
        Assert.Equal(1, writes);
    }

    [Fact]
    public async Task An_application_that_answers_while_it_receives_does_not_deadlock()
    {
        using var application = new ScriptedApplication(window: 4096);
        const int Size = 1_000_000;
        using var request = ScriptedApplication.Post(new ByteArrayContent(new byte[Size]));
        var (connection, sending) = await application.OpenAsync(request);
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
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var request = ScriptedApplication.Post(Slow(goOn.Task));
        var (connection, sending) = await Application.OpenAsync(request);
        await connection.ExpectHeadAsync();
        goOn.SetResult();
        Assert.Equal("slow"u8.ToArray(), (await connection.ExpectRecordAsync()).Content);
        Assert.Empty((await connection.ExpectRecordAsync()).Content);
        await connection.AnswerAsync(sending);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_fails_fails_the_request(bool isOnKept)
    {
        var kept = isOnKept ? await Application.ServeTwiceAsync() : null;
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var request = ScriptedApplication.Post(Slow(goOn.Task));
        Task<HttpResponseMessage> sending = Application.SendAsync(request);
        var connection = kept ?? await Application.AcceptAsync();
        await connection.ExpectHeadAsync();
        var broken = new InvalidDataException("broken");
        goOn.SetException(broken);
        Assert.Same(broken, await Assert.ThrowsAsync<InvalidDataException>(() => sending.Within("an error")));
        await connection.ExpectClosedAsync();
    }

    [Theory]
    [InlineData(3, false)]
    [InlineData(5, false)]
    [InlineData(5, true)]
    public async Task A_body_of_another_length_than_declared_fails_the_request(long declared, bool isOnKept)
    {
        if (isOnKept)
        {
            await Application.ServeTwiceAsync();
        }

        using var request = ScriptedApplication.Post(new StringContent("body"));
        request.Content!.Headers.ContentLength = declared;
        await Application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("/srv")]
    public async Task A_body_that_disposes_the_stream_fails_the_request(string? root)
    {
        using var application = new ScriptedApplication(options => options.DocumentRoot = root);
        using var request = ScriptedApplication.Post(
            new OwnContent(static (stream, _) => stream.DisposeAsync().AsTask()));
        await Assert.ThrowsAsync<HttpRequestException>(() => application.SendAsync(request).Within("an error"));
    }

    [Fact]
    public async Task A_body_that_cannot_be_buffered_fails_as_a_request() => Assert.IsType<DirectoryNotFoundException>(
        (await Assert.ThrowsAsync<FastCgiException>(() => BufferedContent.ReadAsync(
            new StringContent("body"), "/no/such/folder", CancellationToken.None).AsTask().Within("an error")))
            .InnerException);

    /// <summary>In HTTP, chunks replace the length.</summary>
    [Theory]
    [InlineData(3, null)]
    [InlineData(5, null)]
    [InlineData(5, "/srv")]
    public async Task A_declared_length_does_not_count_if_chunks_are_asked_for(long declared, string? root)
    {
        using var application = new ScriptedApplication(options => options.DocumentRoot = root);
        using var request = ScriptedApplication.Post(new StringContent("body"));
        request.Content!.Headers.ContentLength = declared;
        request.Headers.TransferEncodingChunked = true;
        var received = await application.ReceiveAsync(request);
        Assert.Equal(root is null ? null : "4", received.Parameters.GetValueOrDefault("CONTENT_LENGTH"));
        Assert.Equal("body"u8.ToArray(), received.Body);
    }

    [Fact]
    public async Task A_body_without_a_length_is_streamed_to_FastCGI_and_buffered_for_PHP()
    {
        foreach (string? root in (string?[])[null, "/srv"])
        {
            using var application = new ScriptedApplication(options => options.DocumentRoot = root);
            using var request = ScriptedApplication.Post(Slow(Task.CompletedTask));
            var received = await application.ReceiveAsync(request);
            Assert.Equal(root is null ? null : "4", received.Parameters.GetValueOrDefault("CONTENT_LENGTH"));
            Assert.Equal("slow"u8.ToArray(), received.Body);
        }
    }

    /// <summary>On a shared connection the send goes on without its caller, and its bytes must stay what they are.</summary>
    [Fact]
    public async Task Nothing_is_written_behind_a_send_that_broke_off()
    {
        using var cancellation = new CancellationTokenSource();
        ReadOnlyMemory<byte> sent = default;
        await using var connection = new PeerStream
        {
            OnWrite = (bytes, cancellationToken) =>
            {
                sent = bytes;
                return new(Task.Delay(Timeout.Infinite, cancellationToken));
            },
        };
        using var output = new OutputBuffer();
        await using var stdin = new StdinStream(connection, output, requestId: 1, declaredLength: null) { IsStreaming = true };
        Task sending = stdin.WriteAsync(new byte[4000], cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await Assert.ThrowsAsync<IOException>(() => stdin.WriteAsync(new byte[20_000]).AsTask().Within("an error"));
        await Assert.ThrowsAsync<IOException>(() => stdin.CompleteAsync(default).AsTask().Within("an error"));
        Assert.True(sent.Equals(output.Written));
    }

    /// <summary>A content that two copies read at the same time would be sent mixed up.</summary>
    [Fact]
    public async Task A_body_is_sent_again_when_its_first_copy_has_ended()
    {
        // It serves one request, then takes no bytes, and ends when the test says so.
        var end = new TaskCompletionSource<int>();
        int writes = 0;
        using var application = ScriptedApplication.Over(new PeerStream
        {
            OnRead = PeerStream.Giving(Response.Of("A: b\n\n").ToArray(), (_, _) => new(end.Task)),
            OnWrite = (_, _) => ++writes == 1 ? default : ValueTask.FromException(new IOException("broken")),
        });
        var first = await application.SendAsync().Within("a response");
        await first.Content.ReadAsByteArrayAsync().Within("the body");
        var content = new TwiceContent();
        using var request = ScriptedApplication.Post(content);
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        await Task.Run(() => end.SetResult(0)).Within("the end of the connection");
        Assert.Equal(1, content.Copies);
        content.GoOn.SetResult();
        var connection = await application.AcceptAsync();
        Assert.Equal("twice"u8.ToArray(), (await connection.ExpectRequestAsync()).Body);
        await connection.AnswerAsync(sending);
    }

    private static OwnContent Slow(Task goOn) => new(async (stream, _) =>
    {
        await goOn.Within("leave to go on");
        await stream.WriteAsync("slow"u8.ToArray(), CancellationToken.None);
    });

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
}
