using System.Buffers;
using System.Runtime.InteropServices;

namespace FastCgi.Client.Tests.Connections;

/// <summary>
/// The connection of a request that nobody waits for is closed, unless the request is over or lacks its end alone.
/// </summary>
public sealed class AbandonedRequestTests
{
    /// <summary>Go's net/http/fcgi ends an aborted request at once, while its handler runs on and answers.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_application_that_answers_an_aborted_request_twice_reaches_no_other(bool isShared)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = isShared ? 2 : 1;
            options.MultiplexRequests = isShared;
        });
        Task<HttpResponseMessage>? beside = null;
        ApplicationConnection? connection = null;
        if (isShared)
        {
            (connection, beside) = await application.BeginAsync(isShared: true);
        }

        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> aborted = application.SendAsync(cancellationToken: cancellation.Token);
        connection ??= await application.AcceptAsync();
        int id = (await connection.ExpectRequestAsync()).Id;
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => aborted.Within("an end"));
        if (isShared)
        {
            WireRecord abort = await connection.ExpectRecordAsync();
            Assert.Equal(((int)RecordType.AbortRequest, id), (abort.Type, abort.RequestId));
            await connection.SendAsync(new RecordBuilder().End(id));
        }

        Task<HttpResponseMessage> next = application.SendAsync();
        var another = isShared ? connection : await application.AcceptAsync();
        int nextId = (await another.ExpectRequestAsync()).Id;
        if (isShared)
        {
            Assert.NotEqual(id, nextId);
            await connection.RespondAsync("A: b\n\nsecret", id);
        }

        await another.AnswerAsync(next, "own", nextId);
        if (beside is not null)
        {
            await connection.AnswerAsync(beside, "beside", id: 1);
        }
    }

    [Fact]
    public async Task The_connection_of_a_response_that_is_disposed_half_read_is_closed()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, response) = await application.BeginResponseAsync("A: b\n\nhalf");
        response.Dispose();
        await connection.ExpectClosedAsync();
        await ExpectNewConnectionAsync(application);
    }

    [Fact]
    public async Task A_response_that_lacks_its_end_alone_keeps_its_connection()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 5\n\nwhole");
        Stream body = await response.Content.ReadAsStreamAsync();
        await body.ReadExactlyAsync(new byte[5]).AsTask().Within("the body");
        response.Dispose();
        await connection.SendAsync(new RecordBuilder().End());
        await ExpectNextRequestAsync(application, connection);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_response_ends_at_its_length_and_its_connection_is_free_at_its_end(bool isRead)
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 5\n\nwhole");
        if (isRead)
        {
            Assert.Equal("whole", await response.Content.ReadAsStringAsync().Within("the content"));
        }
        else
        {
            response.Dispose();
        }

        Task<HttpResponseMessage> next = application.SendAsync();
        await connection.SendAsync(new RecordBuilder().Record((int)RecordType.Stdout, 1, []).End());
        await connection.ServeAsync(next);
        Assert.Equal(1, application.Opened);
    }

    [Theory]
    [InlineData("HEAD", 200, "Content-Length: 5\n\n")]
    [InlineData("GET", 204, "Status: 204 No Content\n\n")]
    [InlineData("GET", 205, "Status: 205\nContent-Length: 5\n\n")]
    [InlineData("GET", 304, "Status: 304 Not Modified\nContent-Length: 5\n\n")]
    public async Task A_response_without_content_ends_at_its_head(string method, int status, string head)
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var request = new HttpRequestMessage(new HttpMethod(method), "http://localhost/");
        var (connection, response) = await application.BeginResponseAsync(head, request);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Empty(await response.Content.ReadAsByteArrayAsync().Within("the content"));
        await connection.SendAsync(new RecordBuilder().Stdout("dropped").End());
        await ExpectNextRequestAsync(application, connection);
    }

    [Fact]
    public async Task A_response_that_does_not_stop_behind_its_length_costs_its_connection()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 0\n\n");
        response.Dispose();
        byte[] record = new RecordBuilder().Stdout(new string('x', 65_535)).ToArray();
        for (int i = 0; i < 100; i++)
        {
            await connection.SendAsync(record);
        }

        await connection.ExpectClosedAsync();
        await ExpectNewConnectionAsync(application);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(false, 100_000)]
    [InlineData(true, 1)]
    public async Task A_response_that_stalls_is_ended(bool isShared, int readSize)
    {
        using var application = new ScriptedApplication(options => options.MultiplexRequests = isShared);
        var (connection, response) = await application.BeginResponseAsync("A: b\n\n", isShared: isShared);
        Stream body = await response.Content.ReadAsStreamAsync();
        for (int i = 0; i < 3; i++)
        {
            Task<int> piece = body.ReadAsync(new byte[readSize]).AsTask();
            application.Clock.Advance(TimeSpan.FromSeconds(99));
            await connection.SendAsync(new RecordBuilder().Stdout("x"));
            Assert.Equal(1, await piece.Within("a piece"));

            // A reader that does not read is no stall.
            application.Clock.Advance(TimeSpan.FromSeconds(250));
        }

        Task<int> reading = body.ReadAsync(new byte[readSize]).AsTask();
        application.Clock.Advance(TimeSpan.FromSeconds(100));
        var exception = await Assert.ThrowsAsync<HttpIOException>(() => reading.Within("an error"));
        Assert.Equal(FastCgiError.ResponseIdleTimeout, FastCgiException.Find(exception)?.Error);
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_request_body_that_moves_on_is_no_stall()
    {
        var content = new System.IO.Pipelines.Pipe();
        await AssertNoStallAsync(new StreamContent(content.Reader.AsStream()), async connection =>
        {
            await content.Writer.WriteAsync("x"u8.ToArray());
            Assert.Equal([120], (await connection.ExpectRecordAsync()).Content.ToArray());
        });
    }

    /// <summary>It is written at once. Two records, because the client may not have counted the last one yet.</summary>
    [Fact]
    public Task A_request_body_in_memory_that_moves_on_is_no_stall() =>
        AssertNoStallAsync(new ByteArrayContent(new byte[1_000_000]), static async connection =>
        {
            await connection.ExpectRecordAsync();
            await connection.ExpectRecordAsync();
        });

    [Fact]
    public async Task A_request_body_that_left_before_the_response_extends_no_read()
    {
        using var application = new ScriptedApplication();
        using var request = ScriptedApplication.Post(new StringContent("body"));
        var (connection, response) = await application.BeginResponseAsync("A: b\n\n", request);
        Task<string> reading = response.Content.ReadAsStringAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(100));
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => reading.Within("an error"));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_read_that_is_cancelled_closes_the_connection()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var cancellation = new CancellationTokenSource();
        var (connection, response) = await application.BeginResponseAsync("A: b\n\n");
        Stream body = await response.Content.ReadAsStreamAsync();
        Task<int> reading = body.ReadAsync(new byte[1], 0, 1, cancellation.Token);
        await cancellation.CancelAsync();
        var exception = await Assert.ThrowsAsync<TaskCanceledException>(() => reading.Within("an end"));
        Assert.Equal(cancellation.Token, exception.CancellationToken);
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_whole_response_that_nobody_reads_keeps_its_connection()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, sending) = await application.BeginAsync();
        await connection.RespondAsync("A: b\n\nwhole");
        (await sending.Within("a response")).Dispose();
        await ExpectNextRequestAsync(application, connection);
    }

    [Fact]
    public async Task A_request_that_does_not_end_in_time_costs_its_connection()
    {
        using var application = new ScriptedApplication();
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 0\n\n");
        response.Dispose();
        application.Clock.Advance(TimeSpan.FromSeconds(100));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_sink_of_STDERR_that_throws_costs_the_connection_and_not_its_place()
    {
        using var application = new ScriptedApplication(static options =>
        {
            options.MaxConnections = 1;
            options.StandardError = static (_, _) => throw new InvalidTimeZoneException("broken");
        });
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 0\n\n");
        response.Dispose();
        await connection.SendAsync(new RecordBuilder().Stderr("oh").End());
        await connection.ExpectClosedAsync();
        await ExpectNewConnectionAsync(application);
    }

    /// <summary>A content disposes its stream twice, and the read still writes to the buffer.</summary>
    [Fact]
    public async Task A_response_that_is_disposed_under_a_read_leaves_it_the_buffer()
    {
        var read = new TaskCompletionSource<int>();
        byte[]? used = null;
        PeerStream stream = null!;
        stream = new PeerStream
        {
            OnRead = PeerStream.Giving(new RecordBuilder().Stdout("A: b\n\n").ToArray(), (buffer, _) =>
            {
                MemoryMarshal.TryGetArray<byte>(buffer, out var segment);
                used = segment.Array;
                return new(read.Task);
            }),
            OnWrite = (_, _) => stream.IsDisposed ? ValueTask.FromException(new IOException("closed")) : default,
        };
        using var application = ScriptedApplication.Over(stream);
        using var response = await application.SendAsync().Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Task<int> reading = body.ReadAsync(new byte[1]).AsTask();
        response.Dispose();
        Assert.True(stream.IsDisposed);
        byte[] rented = ArrayPool<byte>.Shared.Rent(used!.Length);
        Assert.NotSame(used, rented);
        ArrayPool<byte>.Shared.Return(rented);

        read.SetException(new IOException("closed"));
        await Assert.ThrowsAnyAsync<IOException>(() => reading.Within("the end of the read"));
        await ExpectNewConnectionAsync(application);
    }

    [Fact]
    public async Task A_stream_whose_disposal_throws_gives_its_place_up()
    {
        using var application = ScriptedApplication.Over(new StubbornStream());
        await application.SendAsync().FailsAsync(FastCgiError.ResponseEnded);
        await ExpectNewConnectionAsync(application);
    }

    [Fact]
    public async Task A_head_that_takes_too_long_is_a_timeout()
    {
        using var application = new ScriptedApplication(
            static options => options.ResponseHeadersTimeout = TimeSpan.FromSeconds(5));
        var (connection, sending) = await application.BeginAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(5));
        await sending.FailsAsync(FastCgiError.ResponseHeadersTimeout);
    }

    /// <summary>The disposal closes the connection, so another request may not have it by then.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_response_that_is_disposed_under_a_read_gives_no_connection_back(bool isCancelled)
    {
        using var cancellation = new CancellationTokenSource();
        var stream = new LateStream(isCancelled ? cancellation.Cancel : null);
        using var application = ScriptedApplication.Over(stream);
        var response = await application.SendAsync().Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Task<int> reading = body.ReadAsync(new byte[1], cancellation.Token).AsTask();
        Task<HttpResponseMessage> next = application.SendAsync();

        // Without a synchronization context the read goes on inside of the disposal.
        await Task.Run(response.Dispose).Within("the disposal");
        await reading.ContinueWith(static _ => { }).Within("an end of the read");
        var connection = await application.AcceptAsync();
        await connection.ServeAsync(next);
        Assert.False(stream.IsAborted);
    }

    /// <summary>The next request waits for the only connection that the pool may have.</summary>
    private static async Task ExpectNextRequestAsync(ScriptedApplication application, ApplicationConnection connection)
    {
        Task<HttpResponseMessage> sending = application.SendAsync();
        await connection.ServeAsync(sending);
        Assert.Equal(1, application.Opened);
    }

    /// <summary>The place of the only connection that the pool may have is free.</summary>
    private static async Task ExpectNewConnectionAsync(ScriptedApplication application)
    {
        var (connection, sending) = await application.BeginAsync();
        await connection.AnswerAsync(sending);
    }

    /// <summary>Advances the clock three times, each by less than the limit, and runs <paramref name="step"/> before.</summary>
    private static async Task AssertNoStallAsync(HttpContent content, Func<ApplicationConnection, Task> step)
    {
        using var application = new ScriptedApplication();
        using var request = ScriptedApplication.Post(content);
        var (connection, sending) = await application.OpenAsync(request);
        await connection.ExpectHeadAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\n"));
        using var response = await sending.Within("a response");
        Task<string> reading = response.Content.ReadAsStringAsync();
        for (int i = 0; i < 3; i++)
        {
            await step(connection);
            application.Clock.Advance(TimeSpan.FromSeconds(99));
        }

        await connection.RespondAsync("done");
        Assert.Equal("done", await reading.Within("the content"));
    }

    /// <summary>
    /// A connection with the head of a response. Its disposal first ends the read that is under way, with content or by
    /// <paramref name="cancel"/>. It ends a request that is aborted.
    /// </summary>
    private sealed class LateStream(Action? cancel) : MemoryStream
    {
        private readonly TaskCompletionSource<int> _read = new();
        private Memory<byte> _buffer;
        private int _reads;

        public bool IsAborted { get; private set; }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            IsAborted |= buffer.Span[1] == (byte)RecordType.AbortRequest;
            return default;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            switch (++_reads)
            {
                case 1:
                    return new(Fill(buffer, new RecordBuilder().Stdout("A: b\n\n")));
                case 2:
                    _buffer = buffer;
                    cancellationToken.Register(() => _read.TrySetCanceled(cancellationToken));
                    return new(_read.Task);
                default:
                    return new(IsAborted ? Fill(buffer, new RecordBuilder().End()) : 0);
            }
        }

        protected override void Dispose(bool disposing)
        {
            cancel?.Invoke();
            if (!_read.Task.IsCompleted)
            {
                _read.SetResult(Fill(_buffer, new RecordBuilder().Stdout("late")));
            }

            base.Dispose(disposing);
        }

        private static int Fill(Memory<byte> buffer, RecordBuilder records)
        {
            byte[] bytes = records.ToArray();
            bytes.CopyTo(buffer);
            return bytes.Length;
        }
    }
}
