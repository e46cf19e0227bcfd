namespace FastCgi.Client.Tests.Connections;

/// <summary>Several requests on one connection, where the application says that it can.</summary>
public sealed class MultiplexingTests
{
    [Fact]
    public async Task Two_requests_share_a_connection_and_their_records_mix()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        Task<HttpResponseMessage> first = application.SendAsync();
        var connection = await application.AcceptSharedAsync();
        Assert.Equal(1, (await connection.ExpectRequestAsync()).Id);
        Task<HttpResponseMessage> second = application.SendAsync();
        Assert.Equal(2, (await connection.ExpectRequestAsync()).Id);
        await connection.SendAsync(new RecordBuilder()
            .Stdout("A: 2\n\n", id: 2).Stdout("A: 1\n\n", id: 1).Stdout("two", id: 2).Stdout("one", id: 1).End(2).End(1));

        Assert.Equal("one", await TextAsync(await first.Within("the first response")));
        Assert.Equal("two", await TextAsync(await second.Within("the second response")));
        Task<HttpResponseMessage> third = application.SendAsync();
        var request = await connection.ExpectRequestAsync();
        await connection.AnswerAsync(third, "three", request.Id);
        Assert.Equal(1, application.Opened);
    }

    [Fact]
    public async Task A_shared_connection_has_as_many_requests_as_the_application_takes()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        Task<HttpResponseMessage>[] sending = [application.SendAsync(), application.SendAsync(), application.SendAsync()];
        var full = await application.AcceptSharedAsync(most: 2);
        var second = await application.AcceptSharedAsync(most: 2);
        foreach (var connection in (ApplicationConnection[])[full, full, second])
        {
            var request = await connection.ExpectRequestAsync();
            await connection.RespondAsync("A: b\n\nbody", request.Id);
        }

        await AssertAnsweredAsync(sending);
    }

    [Fact]
    public async Task An_application_that_cannot_gets_a_connection_for_each_request()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        Task<HttpResponseMessage> first = application.SendAsync();
        var asked = await application.AcceptSharedAsync(isAllowed: false);
        Task<HttpResponseMessage> second = application.SendAsync();
        foreach (Task<HttpResponseMessage> _ in (Task<HttpResponseMessage>[])[first, second])
        {
            var connection = await application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync("A: b\n\nbody");
        }

        await AssertAnsweredAsync([first, second]);
    }

    [Fact]
    public async Task An_application_that_does_not_answer_the_question_gets_a_connection_for_each_request()
    {
        using var application = WithTimeout();
        Task<HttpResponseMessage> first = application.SendAsync();
        var asked = await ExpectQuestionAsync(application);
        application.Clock.Advance(TimeSpan.FromSeconds(5));
        await asked.ExpectClosedAsync();
        await ServeAsync(application, first);
        await ServeAsync(application, application.SendAsync());
    }

    /// <summary>HttpClient.Timeout may be shorter than ConnectTimeout.</summary>
    [Fact]
    public async Task An_application_that_is_silent_over_several_requests_gets_a_connection_for_each_request()
    {
        using var application = WithTimeout();
        await GiveUpAsync(application, TimeSpan.FromSeconds(2));
        await GiveUpAsync(application, TimeSpan.FromSeconds(2));
        Task<HttpResponseMessage> third = application.SendAsync();
        var asked = await ExpectQuestionAsync(application);
        application.Clock.Advance(TimeSpan.FromSeconds(1));
        await asked.ExpectClosedAsync();
        await ServeAsync(application, third);
        await ServeAsync(application, application.SendAsync());
    }

    [Fact]
    public async Task An_application_that_has_answered_has_its_whole_time_again()
    {
        using var application = WithTimeout();
        await GiveUpAsync(application, TimeSpan.FromSeconds(4));
        Task<HttpResponseMessage> second = application.SendAsync();
        var connection = await application.AcceptAsync();
        await connection.AnswerQuestionAsync(isAllowed: true);
        Assert.Equal((int)RecordType.GetValues, (await connection.ExpectRecordAsync()).Type);
        application.Clock.Advance(TimeSpan.FromSeconds(4));
        await connection.SendAsync(new RecordBuilder().Record(
            (int)RecordType.GetValuesResult, 0, RecordBuilder.Pair("FCGI_MPXS_CONNS", "1")));
        await connection.ServeAsync(second);
    }

    [Fact]
    public async Task An_application_that_closes_on_the_question_is_asked_again_later()
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MultiplexRequests = true;
            options.KeepConnection = false;
        });
        Task<HttpResponseMessage> first = application.SendAsync();
        var asked = await ExpectQuestionAsync(application);
        asked.Close();
        await ServeAsync(application, first);
        await ServeAsync(application, application.SendAsync());
        application.Clock.Advance(TimeSpan.FromMinutes(1));
        var (shared, last) = await application.BeginAsync(isShared: true);
        await shared.AnswerAsync(last, "body");
    }

    /// <summary>mono-fastcgi-server4 does so. A request with content could not be sent a second time.</summary>
    [Fact]
    public async Task An_application_that_says_it_can_and_closes_gets_no_request_there()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        Task<HttpResponseMessage> sending = application.SendAsync(
            new HttpRequestMessage(HttpMethod.Post, "http://localhost/") { Content = new StringContent("body") });
        var asked = await application.AcceptAsync();
        await asked.AnswerQuestionAsync(isAllowed: true);
        Assert.Equal((int)RecordType.GetValues, (await asked.ExpectRecordAsync()).Type);
        asked.Close();
        await ServeAsync(application, sending);
    }

    [Fact]
    public async Task A_question_whose_connection_was_disposed_costs_no_request()
    {
        var disposed = new PeerStream
        {
            OnRead = static (_, _) => ValueTask.FromException<int>(new ObjectDisposedException("stream")),
            OnWrite = static (_, _) => default,
        };
        using var application = ScriptedApplication.Over(disposed, static options => options.MultiplexRequests = true);
        await ServeAsync(application, application.SendAsync());
    }

    [Fact]
    public async Task A_question_whose_connection_cannot_be_closed_costs_no_request()
    {
        bool isAsked = false;
        using var application = new ScriptedApplication(options =>
        {
            options.MultiplexRequests = true;
            var connect = options.ConnectCallback!;
            options.ConnectCallback = async (context, cancellationToken) =>
            {
                Stream stream = isAsked ? await connect(context, cancellationToken) : new StubbornStream();
                isAsked = true;
                return stream;
            };
        });
        await ServeAsync(application, application.SendAsync());
    }

    [Fact]
    public async Task A_shared_connection_that_has_served_and_was_closed_is_replaced_for_all_its_requests()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        var (connection, first) = await application.BeginAsync(isShared: true);
        await connection.AnswerAsync(first);
        Task<HttpResponseMessage>[] sending = [application.SendAsync(), application.SendAsync()];
        await connection.ExpectRequestAsync();
        await connection.ExpectRequestAsync();
        connection.Close();
        connection = await application.AcceptSharedAsync();
        await ServeAllAsync(connection, sending);
    }

    [Fact]
    public async Task A_record_for_a_request_that_was_never_begun_breaks_the_protocol()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        var (connection, sending) = await application.BeginAsync(isShared: true);
        await connection.RespondAsync("A: b\n\n", id: 2);
        var exception = await sending.FailsAsync(FastCgiError.ProtocolViolation);
        Assert.Contains("request 2", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>An application may never end a request that was aborted.</summary>
    [Fact]
    public async Task A_shared_connection_without_a_request_that_somebody_waits_for_is_closed()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        using var cancellation = new CancellationTokenSource();
        var (connection, sending) = await application.BeginAsync(cancellationToken: cancellation.Token, isShared: true);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_connection_that_breaks_fails_all_its_requests()
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        var (connection, first) = await application.BeginAsync(isShared: true);
        Task<HttpResponseMessage> second = application.SendAsync();
        await connection.ExpectRequestAsync();
        connection.Close();
        await Assert.ThrowsAsync<FastCgiException>(() => first.Within("an error"));
        await Assert.ThrowsAsync<FastCgiException>(() => second.Within("an error"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_came_before_a_shared_connection_broke_can_be_read(bool isAtOnce)
    {
        using var application = new ScriptedApplication(static options => options.MultiplexRequests = true);
        var (connection, first) = await application.BeginAsync(isShared: true);
        Task<HttpResponseMessage> second = application.SendAsync();
        await connection.ExpectRequestAsync();
        string body = new('b', 40_000);
        byte[] right = [.. Response.Of($"A: b\n\n{body}").ToArray(), .. new RecordBuilder().Stdout("A: b\n\nhalf", 2).ToArray()];
        byte[] wrong = new RecordBuilder().End(id: 9).ToArray();
        await connection.SendAsync(isAtOnce ? [.. right, .. wrong] : right);
        using var broken = await second.Within("the second response");
        if (!isAtOnce)
        {
            await connection.SendAsync(wrong);
        }

        var stream = await broken.Content.ReadAsStreamAsync();
        byte[] buffer = new byte[100];
        Assert.Equal(4, await stream.ReadAsync(buffer).AsTask().Within("the half"));
        await Assert.ThrowsAsync<HttpIOException>(() => stream.ReadAsync(buffer).AsTask().Within("an error"));
        Assert.Equal(body, await TextAsync(await first.Within("the first response")));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_old_shared_connection_takes_no_further_request(bool isBusy)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MultiplexRequests = true;
            options.PooledConnectionLifetime = TimeSpan.FromSeconds(10.5);
        });
        var (old, first) = await application.BeginAsync(isShared: true);
        application.Clock.Advance(TimeSpan.FromSeconds(5.9));
        Task<HttpResponseMessage> second = application.SendAsync();
        await old.ServeAsync(second, "two", id: 2);
        if (!isBusy)
        {
            await old.AnswerAsync(first, "one", id: 1);
        }

        application.Clock.Advance(TimeSpan.FromSeconds(4.7));
        var (young, third) = await application.BeginAsync(isShared: true);
        await young.AnswerAsync(third, "three");
        if (isBusy)
        {
            await old.AnswerAsync(first, "one", id: 1);
        }

        application.Clock.Advance(TimeSpan.FromSeconds(1));
        await old.ExpectClosedAsync();
    }

    /// <summary>Without FCGI_KEEP_CONN the application would end the connection, and the other requests with it.</summary>
    [Theory]
    [InlineData(false, null)]
    [InlineData(null, "/srv/blog")]
    public async Task A_shared_connection_is_kept_until_its_last_request_has_ended(bool? keep, string? root)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MultiplexRequests = true;
            options.KeepConnection = keep;
            options.DocumentRoot = root;
        });
        Task<HttpResponseMessage> first = application.SendAsync();
        var connection = await application.AcceptSharedAsync();
        Assert.True((await connection.ExpectRequestAsync()).KeepsConnection);
        Task<HttpResponseMessage> second = application.SendAsync();
        Assert.True((await connection.ExpectRequestAsync()).KeepsConnection);
        await connection.AnswerAsync(first, "one", id: 1);
        await connection.AnswerAsync(second, "two", id: 2);
        await connection.ExpectClosedAsync();
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task Our_server_serves_many_requests_on_a_connection(ServerTransport transport)
    {
        await using var server = await FunctionalServer.StartAsync(transport, static async context =>
            await context.Request.Body.CopyToAsync(context.Response.Body));
        using var client = new HttpClient(new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = server.Address,
            MultiplexRequests = true,
        }))
        {
            Timeout = Deadline.Default,
        };
        await Task.WhenAll(Enumerable.Range(0, 20).Select(async i =>
        {
            byte[] body = Encoding.ASCII.GetBytes(new string((char)('a' + i), 200_000));
            using var response = await client.PostAsync("http://localhost/", new ByteArrayContent(body)).Within("a response");
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within("the body"));
        }));
    }

    /// <summary>An application that has 5 seconds to say whether it can.</summary>
    private static ScriptedApplication WithTimeout() => new(static options =>
    {
        options.MultiplexRequests = true;
        options.KeepConnection = false;
        options.ConnectTimeout = TimeSpan.FromSeconds(5);
    });

    /// <summary>A request that is cancelled when the application has been silent for so long.</summary>
    private static async Task GiveUpAsync(ScriptedApplication application, TimeSpan silence)
    {
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: cancellation.Token);
        await ExpectQuestionAsync(application);
        application.Clock.Advance(silence);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
    }

    /// <summary>A new connection, whose application has been asked.</summary>
    private static async Task<ApplicationConnection> ExpectQuestionAsync(ScriptedApplication application)
    {
        var asked = await application.AcceptAsync();
        Assert.Equal((int)RecordType.GetValues, (await asked.ExpectRecordAsync()).Type);
        return asked;
    }

    /// <summary>Answers as many requests as there are, in whichever order they come.</summary>
    private static async Task ServeAllAsync(ApplicationConnection connection, Task<HttpResponseMessage>[] sending)
    {
        foreach (Task<HttpResponseMessage> _ in sending)
        {
            var request = await connection.ExpectRequestAsync();
            await connection.RespondAsync("A: b\n\nbody", request.Id);
        }

        await AssertAnsweredAsync(sending);
    }

    private static async Task AssertAnsweredAsync(Task<HttpResponseMessage>[] sending)
    {
        foreach (Task<HttpResponseMessage> one in sending)
        {
            Assert.Equal("body", await TextAsync(await one.Within("a response")));
        }
    }

    /// <summary>On a connection of its own, without a question.</summary>
    private static async Task ServeAsync(ScriptedApplication application, Task<HttpResponseMessage> sending)
    {
        var connection = await application.AcceptAsync();
        await connection.ServeAsync(sending, "body");
    }

    private static async Task<string> TextAsync(HttpResponseMessage response)
    {
        using (response)
        {
            return await response.Content.ReadAsStringAsync().Within("the body");
        }
    }
}
