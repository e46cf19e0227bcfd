using System.IO.Pipelines;
using FastCgi.Client;
using Microsoft.AspNetCore.Http.Timeouts;

namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>Each failure has a status for the client and one line in the log that says what to do.</summary>
public sealed class ForwardedFailureTests : ClientTest
{
    private const int Overloaded = 2;

    [Fact]
    public async Task Nobody_listens()
    {
        string socket = Path.Combine(Path.GetTempPath(), $"nobody-{Guid.NewGuid():N}.sock");
        using var invoker = new HttpMessageInvoker(new FastCgiHandler($"unix:{socket}"));
        await using var front = await GatewayFront.ForwardAsync(invoker);
        await AssertFailureAsync(
            front, front.Client.GetAsync("/x?y"), HttpStatusCode.BadGateway, GatewayEvents.BadGateway, "GET /x (", socket);
    }

    /// <summary>An informational status, passed on, would leave the client waiting for the final response.</summary>
    [Theory]
    [InlineData("", false, "app")]
    [InlineData("Content-Type: text/pl", false, "app")]
    [InlineData("<html>\n\n", true, "<html>")]
    [InlineData("Status: 103 Early Hints\r\nLink: </a.css>\r\n\r\n", true, "before its head was whole")]
    [InlineData("Status: 101 Switching Protocols\r\n\r\n", true, "101")]
    [InlineData("Status: 100 Continue\r\n\r\n", true, "before its head was whole")]
    [InlineData("Status: 099 None\r\n\r\n", true, "99")]
    public async Task No_head_comes_that_can_be_passed_on(string head, bool isEnded, string reason)
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        var (connection, answer) = await front.BeginAsync(Application);
        var records = new RecordBuilder().Stdout(head);
        await connection.SendAsync(isEnded ? records.Record(6, 1, []).End() : records);
        if (!isEnded)
        {
            connection.Close();
        }

        await AssertFailureAsync(front, answer, HttpStatusCode.BadGateway, GatewayEvents.BadGateway, reason);
    }

    [Fact]
    public async Task The_application_is_overloaded()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        var (connection, answer) = await front.BeginAsync(Application);
        await connection.SendAsync(new RecordBuilder().End(status: Overloaded));
        await AssertFailureAsync(
            front,
            answer,
            HttpStatusCode.ServiceUnavailable,
            GatewayEvents.ServiceUnavailable,
            "FCGI_OVERLOADED");
    }

    [Fact]
    public async Task No_head_comes_in_time()
    {
        var clock = new ManualTimeProvider();
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker, TimeSpan.FromSeconds(60), clock);
        var answer = front.Client.GetAsync("/");
        await (await Application.AcceptAsync()).ExpectRequestAsync();
        clock.Advance(TimeSpan.FromSeconds(60));
        await AssertFailureAsync(
            front, answer, HttpStatusCode.GatewayTimeout, GatewayEvents.GatewayTimeout, "within 60 s");
    }

    [Fact]
    public async Task No_connection_comes_in_time()
    {
        var clock = new ManualTimeProvider();
        var connecting = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var application = new ScriptedApplication(options =>
        {
            options.TimeProvider = clock;
            options.ConnectTimeout = TimeSpan.FromSeconds(5);
            options.ConnectCallback = async (_, cancellationToken) =>
            {
                connecting.SetResult();
                await Task.Delay(Timeout.Infinite, cancellationToken);
                return Stream.Null;
            };
        });
        await using var front = await GatewayFront.ForwardAsync(application.Invoker);
        var answer = front.Client.GetAsync("/");
        await connecting.Task.Within("the connection");
        clock.Advance(TimeSpan.FromSeconds(5));
        await AssertFailureAsync(
            front, answer, HttpStatusCode.GatewayTimeout, GatewayEvents.GatewayTimeout, "app", "5 s");
    }

    /// <summary>The limit is for the head. A download may take its time.</summary>
    [Fact]
    public async Task A_slow_body_is_not_a_slow_head()
    {
        var clock = new ManualTimeProvider();
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker, TimeSpan.FromSeconds(60), clock);
        var (connection, answering) = await front.BeginAsync(Application, HttpCompletionOption.ResponseHeadersRead);
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\n"));
        using var answer = await answering.Within("the head");
        clock.Advance(TimeSpan.FromSeconds(61));
        await connection.RespondAsync("late");
        Assert.Equal("late", await answer.Content.ReadAsStringAsync().Within("the body"));
    }

    [Fact]
    public async Task A_longer_time_than_a_timer_can_count_is_no_limit()
    {
        var clock = new ManualTimeProvider();
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker, TimeSpan.MaxValue, clock);
        var (connection, answering) = await front.BeginAsync(Application);
        clock.Advance(TimeSpan.FromDays(100));
        await connection.RespondAsync("Content-Type: text/plain\r\n\r\nfine");
        using var answer = await answering.Within("an answer");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Fact]
    public async Task A_slow_upload_is_not_a_slow_application()
    {
        var clock = new ManualTimeProvider();
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker, TimeSpan.FromSeconds(60), clock);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        var connection = await Application.AcceptAsync();
        await connection.ExpectHeadAsync();
        foreach (string piece in (string[])["a", "b", "c"])
        {
            clock.Advance(TimeSpan.FromSeconds(40));
            await client.SendAsync(piece);
            Assert.Equal(piece, System.Text.Encoding.ASCII.GetString((await connection.ExpectRecordAsync()).Content));
        }

        Assert.Empty((await connection.ExpectRecordAsync()).Content);
        await connection.RespondAsync("Content-Type: text/plain\r\n\r\nfine");
        Assert.Contains(" 200 OK", await client.ReadToAsync("fine"), StringComparison.Ordinal);
    }

    /// <summary>Nothing leaves while a body goes into its file, and the application cannot answer.</summary>
    [Fact]
    public async Task A_slow_upload_into_a_file_is_not_a_slow_application()
    {
        var clock = new ManualTimeProvider();
        using var deadline = new ResponseDeadline(TimeSpan.FromSeconds(60), clock, CancellationToken.None);
        var upload = new Pipe();
        var context = new DefaultHttpContext { Request = { Body = upload.Reader.AsStream() } };
        using var body = new RequestBodyContent(context, deadline);
        var (file, written) = DuplexStream.Pair();
        Task copying = body.CopyToAsync(file);
        foreach (byte piece in "abc"u8.ToArray())
        {
            clock.Advance(TimeSpan.FromSeconds(40));
            await upload.Writer.WriteAsync(new[] { piece });
            await written.ReadExactlyAsync(new byte[1]).AsTask().Within("the piece");
        }

        Assert.False(deadline.HasPassed);
        await upload.Writer.CompleteAsync();
        await copying.Within("the end");
    }

    /// <summary>The client's part ends when the body is in its file. From there on only the application is slow.</summary>
    [Fact]
    public async Task A_buffered_upload_that_moves_on_is_no_timeout()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(
            static options => options.UnknownLengthBody = FastCgiUnknownLengthBody.Buffer);
        await using var front = await GatewayFront.ForwardAsync(application.Invoker, TimeSpan.FromSeconds(60), clock);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/") { Content = new ByteArrayContent(new byte[600_000]) };
        request.Headers.TransferEncodingChunked = true;
        var answering = front.Client.SendAsync(request);
        var connection = await application.AcceptAsync();
        await connection.ExpectHeadAsync();
        for (int i = 0; i < 6; i++)
        {
            clock.Advance(TimeSpan.FromSeconds(15));
            Assert.NotEmpty((await connection.ExpectRecordAsync()).Content);
        }

        while ((await connection.ExpectRecordAsync()).Content.Length > 0)
        {
        }

        await connection.RespondAsync("Content-Type: text/plain\r\n\r\nfine");
        using var answer = await answering.Within("an answer");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    /// <summary>The application did not have the request, so there is nothing to look for in its log.</summary>
    [Fact]
    public async Task No_connection_is_free_in_time()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        await using var front = await GatewayFront.ForwardAsync(application.Invoker, TimeSpan.FromSeconds(60), clock);
        var (_, first, second) = await QueueAsync(front, application, clock);
        clock.Advance(TimeSpan.FromSeconds(60));
        await AssertFailureAsync(
            front, second, HttpStatusCode.GatewayTimeout, GatewayEvents.GatewayTimeout, "within 60 s", "MaxConnections");
        first.Dispose();
    }

    [Fact]
    public async Task A_wait_for_a_connection_is_not_a_slow_application()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        await using var front = await GatewayFront.ForwardAsync(application.Invoker, TimeSpan.FromSeconds(60), clock);
        var (connection, first, second) = await QueueAsync(front, application, clock);
        clock.Advance(TimeSpan.FromSeconds(40));
        await connection.SendAsync(new RecordBuilder().End());
        first.Dispose();
        await connection.ExpectRequestAsync();
        clock.Advance(TimeSpan.FromSeconds(40));
        await connection.RespondAsync("Content-Type: text/plain\r\n\r\nfine");
        using var answer = await second.Within("an answer");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Fact]
    public async Task A_response_that_breaks_off_breaks_off_for_the_client()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        front.Logs.ExpectError(GatewayEvents.ResponseTorn);
        var (connection, answering) = await front.BeginAsync(Application, HttpCompletionOption.ResponseHeadersRead);
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\nhalf"));
        using var answer = await answering.Within("the head");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        connection.Close();
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => answer.Content.ReadAsStringAsync().Within("an error"));
        await front.Logs.WaitForAsync(GatewayEvents.ResponseTorn);
    }

    [Fact]
    public async Task A_response_that_stalls_breaks_off_for_the_client()
    {
        var clock = new ManualTimeProvider();
        await using var front = await GatewayFront.MapAsync(
            Application, builder => builder.Services.AddSingleton<TimeProvider>(clock));
        front.Logs.ExpectError(GatewayEvents.ResponseTorn);
        var (connection, answering) = await front.BeginAsync(Application, HttpCompletionOption.ResponseHeadersRead);
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\nhalf"));
        using var answer = await answering.Within("the head");
        Task<string> reading = answer.Content.ReadAsStringAsync();
        await Eventually.HoldsAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(60));
                return front.Logs.Entries.Any(static entry => entry.EventId.Id == GatewayEvents.ResponseTorn);
            },
            () => "The response was not ended.");
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => reading.Within("an error"));
        Assert.Contains("60 s", (await front.Logs.WaitForAsync(GatewayEvents.ResponseTorn)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_that_goes_cancels_the_request(bool hasTimeouts)
    {
        await using var front = await GatewayFront.ForwardAsync(
            Application.Invoker,
            before: pipeline => _ = hasTimeouts ? pipeline.UseRequestTimeouts() : pipeline,
            build: static builder => builder.Services.AddRequestTimeouts(static options =>
                options.DefaultPolicy = new RequestTimeoutPolicy { Timeout = Deadline.Default * 2 }));
        using (var client = await RawHttp.ConnectAsync(front.Uri))
        {
            await client.SendAsync("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            await (await Application.AcceptAsync()).ExpectRequestAsync();
        }

        LogEntry entry = await front.Logs.WaitForAsync(GatewayEvents.ClientAborted);
        Assert.Equal(LogLevel.Debug, entry.Level);
        Assert.DoesNotContain(front.Logs.Entries, static entry => entry.EventId.Id is GatewayEvents.BadGateway);
    }

    /// <summary>The cancelled token is no sign that the client has gone, so nothing may look whole to it.</summary>
    [Theory]
    [InlineData(false, GatewayEvents.ClientAborted)]
    [InlineData(true, GatewayEvents.ResponseTorn)]
    public async Task A_response_that_is_cancelled_after_its_start_breaks_off_for_the_client(bool isTimeout, int eventId)
    {
        using var cancellation = new CancellationTokenSource();
        await using var front = await GatewayFront.ForwardAsync(
            Application.Invoker,
            before: pipeline => pipeline.Use((context, next) =>
            {
                context.RequestAborted = cancellation.Token;
                if (isTimeout)
                {
                    context.Features.Set<IHttpRequestTimeoutFeature>(new RequestTimeout(cancellation.Token));
                }

                return next(context);
            }));
        if (isTimeout)
        {
            front.Logs.ExpectError(GatewayEvents.ResponseTorn);
        }

        var (connection, answering) = await front.BeginAsync(Application, HttpCompletionOption.ResponseHeadersRead);
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\nhalf"));
        using var answer = await answering.Within("the head");
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => answer.Content.ReadAsStringAsync().Within("an error"));
        await front.Logs.WaitForAsync(eventId);
    }

    [Fact]
    public async Task A_request_timeout_of_the_server_has_its_own_answer()
    {
        await using var front = await GatewayFront.ForwardAsync(
            Application.Invoker,
            before: static pipeline => pipeline.UseRequestTimeouts(),
            build: static builder => builder.Services.AddRequestTimeouts(static options =>
                options.DefaultPolicy = new RequestTimeoutPolicy
                {
                    Timeout = TimeSpan.FromMilliseconds(50),
                    TimeoutStatusCode = StatusCodes.Status418ImATeapot,
                }));
        using var answer = await front.Client.GetAsync("/").Within("an answer");
        Assert.Equal(StatusCodes.Status418ImATeapot, (int)answer.StatusCode);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_body_over_the_limit_is_413(bool isKept, bool isChunked)
    {
        await using var front = await GatewayFront.ForwardAsync(
            Application.Invoker,
            before: static pipeline => pipeline.Use(static (context, next) =>
            {
                context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = 10;
                return next(context);
            }));
        ApplicationConnection? connection = null;
        for (int i = 0; isKept && i < 2; i++)
        {
            var before = front.Client.GetAsync("/");
            connection ??= await Application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync("A: b\r\n\r\n");
            (await before.Within("an answer")).Dispose();
        }

        using var request = new HttpRequestMessage(HttpMethod.Post, "/") { Content = new StringContent(new string('a', 11)) };
        request.Headers.TransferEncodingChunked = isChunked;
        using var answer = await front.Client.SendAsync(request).Within("an answer");
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
        Assert.Equal(LogLevel.Information, (await front.Logs.WaitForAsync(GatewayEvents.RequestRefused)).Level);
    }

    /// <summary>The only connection is busy with a response, and a second request waits for it.</summary>
    private static async Task<(ApplicationConnection Busy, HttpResponseMessage First, Task<HttpResponseMessage> Second)>
        QueueAsync(GatewayFront front, ScriptedApplication application, ManualTimeProvider clock)
    {
        var (connection, answering) = await front.BeginAsync(application, HttpCompletionOption.ResponseHeadersRead);
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\n"));
        var first = await answering.Within("the head");
        Assert.Equal(0, clock.ActiveTimers);
        var second = front.Client.GetAsync("/");
        await Eventually.HoldsAsync(() => clock.ActiveTimers > 0, static () => "The second request did not come.");
        return (connection, first, second);
    }

    private static async Task AssertFailureAsync(
        GatewayFront front,
        Task<HttpResponseMessage> answering,
        HttpStatusCode status,
        int eventId,
        params string[] words)
    {
        if (status != HttpStatusCode.ServiceUnavailable)
        {
            front.Logs.ExpectError(eventId);
        }

        using var answer = await answering.Within("an answer");
        Assert.Equal(status, answer.StatusCode);
        Assert.Equal("", await answer.Content.ReadAsStringAsync());
        LogEntry entry = await front.Logs.WaitForAsync(eventId);
        Assert.All(words, word => Assert.Contains(word, entry.Message, StringComparison.Ordinal));
        Assert.Single(front.Logs.Entries, entry => entry.Category.StartsWith("FastCgi", StringComparison.Ordinal));
    }

    /// <summary>As the middleware sets it.</summary>
    private sealed class RequestTimeout(CancellationToken token) : IHttpRequestTimeoutFeature
    {
        public CancellationToken RequestTimeoutToken => token;

        public void DisableTimeout()
        {
        }
    }
}
