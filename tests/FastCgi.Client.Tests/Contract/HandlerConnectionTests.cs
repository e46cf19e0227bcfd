namespace FastCgi.Client.Tests.Contract;

/// <summary>Connections are made, kept and given up as by the handlers of .NET.</summary>
public sealed class HandlerConnectionTests : ClientTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_callback_that_gives_no_connection_fails_the_request(bool throws)
    {
        var error = new InvalidTimeZoneException("hello!");
        int calls = 0;
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            options.ConnectCallback = (_, _) =>
            {
                calls++;
                return throws ? throw error : default(ValueTask<Stream>);
            };
        });
        for (int i = 1; i <= 3; i++)
        {
            var exception = await application.SendAsync().FailsAsync(FastCgiError.ConnectFailed);
            Assert.Equal(HttpRequestError.ConnectionError, exception.HttpRequestError);
            Assert.True(throws ? exception.InnerException == error : exception.InnerException is InvalidOperationException);
            Assert.Equal(i, calls);
        }
    }

    /// <summary>HttpClient takes a cancellation that nobody asked for as its own timeout.</summary>
    [Fact]
    public async Task A_callback_that_cancels_itself_fails_the_request()
    {
        using var client = new HttpClient(new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = "app",
            ConnectCallback = static (_, _) => ValueTask.FromException<Stream>(new OperationCanceledException("own limit")),
        }));
        var exception = await client.GetAsync("http://localhost/").FailsAsync(FastCgiError.ConnectFailed);
        Assert.Contains("own limit", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_callback_throws_at_its_cancellation_is_the_cancellation(bool isTimeout)
    {
        var error = new IOException("closed under the handshake");
        using var source = new CancellationTokenSource();
        using var application = new ScriptedApplication(options => options.ConnectCallback = async (_, token) =>
        {
            await Task.Delay(Timeout.Infinite, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw error;
        });
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: source.Token);
        if (isTimeout)
        {
            application.Clock.Advance(TimeSpan.FromSeconds(15));
            await sending.FailsAsync(FastCgiError.ConnectTimeout);
        }
        else
        {
            await source.CancelAsync();
            var exception = await Assert.ThrowsAsync<TaskCanceledException>(() => sending.Within("an end"));
            Assert.Equal((source.Token, error), (exception.CancellationToken, exception.InnerException));
        }
    }

    /// <summary>The third one waits for a place, and gets it when a connection of the others has failed.</summary>
    [Fact]
    public async Task Each_request_is_given_to_the_callback_once()
    {
        var seen = new List<HttpRequestMessage>();
        var entered = new SemaphoreSlim(0);
        HttpRequestMessage[] requests =
            [.. Enumerable.Range(0, 3).Select(static _ => new HttpRequestMessage(HttpMethod.Get, "http://localhost/"))];
        Dictionary<HttpRequestMessage, TaskCompletionSource> gates = requests.ToDictionary(
            static request => request,
            static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 2;
            options.ConnectCallback = async (context, _) =>
            {
                seen.Add(context.InitialRequest);
                entered.Release();
                await gates[context.InitialRequest].Task;
                throw new IOException("no connection");
            };
        });
        Task<HttpResponseMessage>[] sendings = [.. requests.Select(request => application.SendAsync(request))];
        await entered.WaitAsync().Within("the first connection");
        await entered.WaitAsync().Within("the second connection");
        Assert.Equal(requests[..2], seen);
        gates[requests[1]].SetResult();
        await entered.WaitAsync().Within("the third connection");
        Assert.Equal(requests, seen);
        Assert.False(sendings[0].IsCompleted);
        gates[requests[0]].SetResult();
        gates[requests[2]].SetResult();
        foreach (Task<HttpResponseMessage> sending in sendings)
        {
            await Assert.ThrowsAsync<FastCgiException>(() => sending.Within("an error"));
        }

        Assert.Equal(3, seen.Count);
        entered.Dispose();
    }

    [Fact]
    public async Task A_stream_that_cannot_be_written_to_fails_the_request_and_is_disposed()
    {
        var stream = new PeerStream { OnWrite = static (_, _) => ValueTask.FromException(new IOException("no write")) };
        using var application = ScriptedApplication.Over(stream);
        await application.SendAsync().FailsAsync(FastCgiError.ConnectionLost);
        Assert.True(stream.IsDisposed);
    }

    /// <summary>A kept connection is read ahead, and the failure of that read is nobody's when another is used.</summary>
    [Fact]
    public async Task What_a_kept_connection_throws_is_observed()
    {
        const string Message = "thrown behind the first response";
        await UnobservedExceptions.AssertNoneAsync(Message, UseAsync);

        static async Task UseAsync()
        {
            var stream = Answering(
                Response.Of("A: b\n\nfoo"), static (_, _) => throw new InvalidTimeZoneException(Message));
            using var application = new ScriptedApplication(options => options.ConnectCallback = (_, _) => new(stream));
            using (HttpResponseMessage response = await application.SendAsync(ScriptedApplication.Post(null)).Within("a response"))
            {
                await response.Content.ReadAsByteArrayAsync().Within("the body");
            }

            Task<HttpResponseMessage> sending = application.SendAsync(ScriptedApplication.Post(null));
            await Assert.ThrowsAsync<InvalidTimeZoneException>(() => sending.Within("an error"));
        }
    }

    [Fact]
    public async Task Requests_in_a_row_use_one_connection()
    {
        var (connection, sending) = await Application.OpenAsync();
        await connection.ServeAsync(sending);
        foreach (string answer in (string[])["Content-Length: 0\n\n", "A: b\n\nbody", "Content-Length: 0\n\n"])
        {
            sending = Application.SendAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync(answer);
            using HttpResponseMessage response = await sending.Within("a response");
            await response.Content.ReadAsByteArrayAsync().Within("the body");
        }

        await connection.ServeAsync(Application.SendAsync(), "body");
        Assert.Equal(1, Application.Opened);
    }

    /// <summary>Connection and Keep-Alive belong to HTTP; FastCGI has FCGI_KEEP_CONN.</summary>
    [Theory]
    [InlineData("Connection: close")]
    [InlineData("Keep-Alive: timeout=0")]
    [InlineData("Keep-Alive: max=0")]
    public async Task What_an_application_says_of_HTTP_s_connection_means_nothing(string field)
    {
        ApplicationConnection? connection = null;
        for (int i = 0; i < 2; i++)
        {
            Task<HttpResponseMessage> sending = Application.SendAsync();
            connection ??= await Application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync($"{field}\nContent-Length: 1\n\n{i}");
            using HttpResponseMessage response = await sending.Within("a response");
            Assert.Equal($"{i}", await response.Content.ReadAsStringAsync().Within("the body"));
        }

        Assert.Equal(1, Application.Opened);
    }

    [Fact]
    public async Task Bytes_behind_a_response_cost_its_connection()
    {
        var (connection, sending) = await Application.BeginAsync();
        await connection.SendAsync(
            (byte[])[.. Response.Of("A: b\n\nfirst").ToArray(), .. "here is a bunch of garbage"u8]);
        using HttpResponseMessage response = await sending.Within("a response");
        Assert.Equal("first", await response.Content.ReadAsStringAsync().Within("the body"));

        sending = Application.SendAsync();
        connection = await Application.AcceptAsync();
        await connection.ServeAsync(sending, "second");
    }

    /// <summary>A response whose content has come and was not read gives its connection back; others close it.</summary>
    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(1, 0, true)]
    [InlineData(2, 1, true)]
    [InlineData(1000, 950, true)]
    [InlineData(10_000, 9_500, true)]
    [InlineData(2_000_000, 0, false)]
    [InlineData(4_000_000, 1_000_000, false)]
    public async Task A_response_that_is_disposed_before_its_end_keeps_its_connection_if_it_has_come(
        int length, int read, bool isKept)
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, sending) = await application.BeginAsync();
        Task responding = connection.RespondAsync($"Content-Length: {length}\n\n{new string('a', length)}");
        HttpResponseMessage response = await sending.Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        await body.ReadExactlyAsync(new byte[read]).AsTask().Within("a part of the body");
        if (isKept)
        {
            await responding.Within("the response");
        }

        response.Dispose();
        Task<HttpResponseMessage> next = application.SendAsync();
        var used = isKept ? connection : await application.AcceptAsync();
        await used.ServeAsync(next, "next");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Many_requests_at_a_time_have_their_own_answers(bool isShared)
    {
        const int Count = 2000;
        using HttpClient client = new CarelessApplication().CreateClient(options =>
        {
            options.MaxConnections = 32;
            options.MultiplexRequests = isShared;
        });
        string[] bodies = await Task.WhenAll(Enumerable.Range(0, Count)
            .Select(i => client.GetStringAsync($"http://localhost/{i}"))).Within("the answers");
        Assert.Equal(Enumerable.Range(0, Count).Select(static i => CarelessApplication.BodyOf($"/{i}")), bodies);
    }

    [Fact]
    public async Task Many_clients_may_come_and_go()
    {
        var peer = new CarelessApplication();
        for (int i = 0; i < 200; i++)
        {
            using HttpClient client = peer.CreateClient();
            if (i % 2 == 0)
            {
                Assert.Equal(
                    CarelessApplication.BodyOf($"/{i}"),
                    await client.GetStringAsync($"http://localhost/{i}").Within("an answer"));
            }
        }
    }

    [Fact]
    public async Task Many_requests_fail_when_their_application_goes()
    {
        const int Count = 500;
        using var application = new ScriptedApplication(static options => options.MaxConnections = 50);
        Task<HttpResponseMessage>[] sendings = [.. Enumerable.Range(0, Count).Select(_ => application.SendAsync())];
        for (int i = 0; i < Count; i++)
        {
            (await application.AcceptAsync()).Close();
        }

        foreach (Task<HttpResponseMessage> sending in sendings)
        {
            await Assert.ThrowsAsync<FastCgiException>(() => sending.Within("an error"));
        }
    }

    /// <summary>A peer that answers once it has been asked, and then goes on to read.</summary>
    private static PeerStream Answering(
        RecordBuilder answer, Func<Memory<byte>, CancellationToken, ValueTask<int>>? next = null)
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var read = PeerStream.Giving(answer.ToArray(), next);
        return new PeerStream
        {
            OnRead = async (buffer, cancellationToken) =>
            {
                await asked.Task;
                return await read(buffer, cancellationToken);
            },
            OnWrite = (_, _) =>
            {
                asked.TrySetResult();
                return default;
            },
        };
    }
}
