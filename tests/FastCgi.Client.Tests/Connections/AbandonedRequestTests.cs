using FastCgi.Client.Tests.Harness;
using FastCgi.Protocol;

namespace FastCgi.Client.Tests.Connections;

/// <summary>A request that nobody waits for is aborted; its connection stays if the application ends it in time.</summary>
public sealed class AbandonedRequestTests
{
    [Fact]
    public async Task A_cancelled_request_is_aborted_and_its_connection_kept()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: cancellation.Token);
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await ExpectAbortAsync(connection);
        await connection.SendAsync(new RecordBuilder().Stdout("too late").End());
        await ExpectNextRequestAsync(application, connection);
    }

    [Fact]
    public async Task A_response_that_is_disposed_half_read_is_aborted()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        Task<HttpResponseMessage> sending = application.SendAsync();
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\nhalf"));
        (await sending.Within("a response")).Dispose();
        await ExpectAbortAsync(connection);
        await connection.SendAsync(new RecordBuilder().End());
        await ExpectNextRequestAsync(application, connection);
    }

    [Fact]
    public async Task A_read_that_is_cancelled_aborts_the_request()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = application.SendAsync();
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\n"));
        using var response = await sending.Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Task<int> reading = body.ReadAsync(new byte[1], cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Within("an end"));
        await ExpectAbortAsync(connection);
    }

    [Fact]
    public async Task A_whole_response_that_nobody_reads_needs_no_abort()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        Task<HttpResponseMessage> sending = application.SendAsync();
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.RespondAsync("A: b\n\nwhole");
        (await sending.Within("a response")).Dispose();
        await ExpectNextRequestAsync(application, connection);
    }

    [Fact]
    public async Task A_body_that_is_under_way_stops_before_the_abort()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var cancellation = new CancellationTokenSource();
        using var request = new HttpRequestMessage(HttpMethod.Post, "http://localhost/")
        {
            Content = new StreamContent(new EndlessStream()),
        };
        Task<HttpResponseMessage> sending = application.SendAsync(request, cancellation.Token);
        var connection = await application.AcceptAsync();
        await connection.ExpectHeadAsync();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await ExpectAbortAsync(connection);
    }

    [Fact]
    public async Task A_connection_that_does_not_end_in_time_is_closed()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(options => options.TimeProvider = clock);
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: cancellation.Token);
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await ExpectAbortAsync(connection);
        clock.Advance(TimeSpan.FromSeconds(1));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_head_that_takes_too_long_is_a_timeout()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(options =>
        {
            options.TimeProvider = clock;
            options.ResponseHeadersTimeout = TimeSpan.FromSeconds(5);
        });
        Task<HttpResponseMessage> sending = application.SendAsync();
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        clock.Advance(TimeSpan.FromSeconds(5));
        var exception = await Assert.ThrowsAsync<FastCgiException>(() => sending.Within("an error"));
        Assert.Equal(FastCgiError.ResponseHeadersTimeout, exception.Error);
    }

    private static async Task ExpectAbortAsync(ApplicationConnection connection) =>
        Assert.Equal((int)RecordType.AbortRequest, (await connection.ExpectRecordAsync()).Type);

    /// <summary>The next request waits for the only connection that the pool may have.</summary>
    private static async Task ExpectNextRequestAsync(ScriptedApplication application, ApplicationConnection connection)
    {
        Task<HttpResponseMessage> sending = application.SendAsync();
        await connection.ExpectRequestAsync();
        await connection.RespondAsync("A: b\n\n");
        (await sending.Within("the next response")).Dispose();
        Assert.Equal(1, application.Opened);
    }

    /// <summary>Gives nothing until it is cancelled.</summary>
    private sealed class EndlessStream : MemoryStream
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
            return 0;
        }

        public override bool CanSeek => false;
    }
}
