namespace FastCgi.Client.Tests.Contract;

/// <summary>A request can be cancelled at each point of its life, and costs no other request anything.</summary>
public sealed class HandlerCancellationTests : ClientTest
{
    /// <summary>Where a request is when it is cancelled.</summary>
    public enum Point
    {
        Connecting,
        WaitingForAPlace,
        AskingWhetherToMultiplex,
        WaitingForItsContent,
        SendingItsContent,
        WaitingForTheHead,
        WithinTheHead,
        BufferingTheContent,
    }

    /// <summary>How a request of an HttpClient is cancelled.</summary>
    public enum Way
    {
        Token,
        PendingRequests,
        Disposal,
    }

    public static TheoryData<Point, Way, bool> Cases =>
    [
        .. from point in Enum.GetValues<Point>()
        from way in Enum.GetValues<Way>()
        from isShared in (bool[])[false, true]
        where isShared || point != Point.AskingWhetherToMultiplex
        select (point, way, isShared),
    ];

    [Theory, MemberData(nameof(Cases))]
    public async Task A_request_ends_by_its_cancellation_and_the_next_is_answered(Point point, Way way, bool isShared)
    {
        var connecting = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool connects = point != Point.Connecting;
        using var application = new ScriptedApplication(window: 4096);
        using var handler = new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = "app",
            MaxConnections = 1,
            MultiplexRequests = isShared,
            ConnectCallback = async (context, cancellationToken) =>
            {
                if (!connects)
                {
                    connecting.SetResult();
                    await Task.Delay(Timeout.Infinite, cancellationToken);
                }

                return await application.ConnectAsync(context, cancellationToken);
            },
        });
        using var client = new HttpClient(handler, disposeHandler: false) { Timeout = Timeout.InfiniteTimeSpan };
        using var source = new CancellationTokenSource();

        // 1. A request comes to that point.
        Task<HttpResponseMessage>? before = null;
        ApplicationConnection? connection = null;
        var other = new HttpMessageInvoker(handler, disposeHandler: false);
        if (point == Point.WaitingForAPlace)
        {
            before = other.SendAsync(new HttpRequestMessage(HttpMethod.Get, "http://localhost/"), CancellationToken.None);
            connection = await application.AcceptAsync(isShared);
            await connection.ExpectRequestAsync();
        }

        using var request = new HttpRequestMessage(HttpMethod.Post, "http://localhost/")
        {
            Content = point switch
            {
                Point.WaitingForItsContent => Endless(isSilent: true),
                Point.SendingItsContent => Endless(isSilent: false),
                _ => new StringContent("body"),
            },
        };
        Task<HttpResponseMessage> sending = client.SendAsync(request, source.Token);
        switch (point)
        {
            case Point.Connecting:
                await connecting.Task.Within("a connection");
                break;
            case Point.WaitingForAPlace:
                break;
            case Point.AskingWhetherToMultiplex:
                connection = await application.AcceptAsync();
                Assert.Equal((int)RecordType.GetValues, (await connection.ExpectRecordAsync()).Type);
                break;
            case Point.WaitingForItsContent or Point.SendingItsContent:
                connection = await application.AcceptAsync(isShared);
                await connection.ExpectHeadAsync();
                break;
            default:
                connection = await application.AcceptAsync(isShared);
                await connection.ExpectRequestAsync();
                await connection.SendAsync(new RecordBuilder().Stdout(point switch
                {
                    Point.WithinTheHead => "Content-Length: ",
                    Point.BufferingTheContent => "Content-Length: 20\n\n123",
                    _ => "",
                }));
                break;
        }

        // 2. It ends as those of other handlers do.
        Action cancel = way switch
        {
            Way.Token => source.Cancel,
            Way.PendingRequests => client.CancelPendingRequests,
            _ => client.Dispose,
        };
        cancel();

        var exception = await Assert.ThrowsAsync<TaskCanceledException>(() => sending.Within("the end"));
        Assert.Equal(way == Way.Token, exception.CancellationToken == source.Token);

        // 3. The one before it and the next one have their answers, and the application sees the end.
        if (before is not null)
        {
            await connection!.AnswerAsync(before, "before");
        }
        else if (connection is not null && point != Point.SendingItsContent)
        {
            await connection.ExpectClosedAsync();
        }

        connects = true;
        Task<HttpResponseMessage> next = other.SendAsync(
            new HttpRequestMessage(HttpMethod.Get, "http://localhost/"), CancellationToken.None);
        connection = before is null ? await application.AcceptAsync(isShared) : connection!;
        await connection.ServeAsync(next, "next");
    }

    [Fact]
    public async Task Of_requests_that_wait_for_a_place_some_may_be_cancelled()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var source = new CancellationTokenSource();
        var (connection, first) = await application.BeginAsync();
        Task<HttpResponseMessage>[] cancelled =
            [application.SendAsync(cancellationToken: source.Token), application.SendAsync(cancellationToken: source.Token)];
        Task<HttpResponseMessage> last = application.SendAsync();
        await source.CancelAsync();
        foreach (Task<HttpResponseMessage> one in cancelled)
        {
            await Assert.ThrowsAsync<TaskCanceledException>(() => one.Within("the end"));
        }

        await connection.AnswerAsync(first);
        await connection.ServeAsync(last);
        Assert.Equal(1, application.Opened);
    }

    /// <summary>They end what waits for its head. A response belongs to its reader.</summary>
    [Theory]
    [InlineData(false, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    [InlineData(true, true, false)]
    [InlineData(false, false, true)]
    [InlineData(true, false, true)]
    public async Task A_response_outlives_its_client_and_its_handler(bool isDisposed, bool isCopied, bool isShared)
    {
        var client = Application.CreateClient(isShared);
        Task<HttpResponseMessage> sending = client.GetAsync("http://localhost/", HttpCompletionOption.ResponseHeadersRead);
        var connection = await Application.AcceptAsync(isShared);
        await connection.ExpectRequestAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Length: 12000\n\n" + new string('s', 3000)));
        using HttpResponseMessage response = await sending.Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Assert.Equal('s', body.ReadByte());
        if (isDisposed)
        {
            client.Dispose();
        }
        else
        {
            client.CancelPendingRequests();
        }

        var copy = new MemoryStream();
        Task reading = isCopied ? body.CopyToAsync(copy, 10) : ReadAsync();
        await connection.SendAsync(new RecordBuilder().Stdout(new string('s', 9000)).End());
        await reading.Within("the body");
        Assert.Equal(11_999, copy.Length);
        if (isDisposed)
        {
            await connection.ExpectClosedAsync();
        }
        else
        {
            client.Dispose();
        }

        async Task ReadAsync()
        {
            byte[] buffer = new byte[10];
            int count;
            while ((count = await body.ReadAsync(buffer)) > 0)
            {
                copy.Write(buffer, 0, count);
            }
        }
    }

    [Fact]
    public async Task The_timeout_of_HttpClient_is_a_cancellation_with_its_reason()
    {
        using var client = Application.CreateClient();
        client.Timeout = TimeSpan.FromMilliseconds(50);
        var exception = await Assert.ThrowsAsync<TaskCanceledException>(
            () => client.GetAsync("http://localhost/").Within("the end"));
        Assert.IsType<TimeoutException>(exception.InnerException);
    }

    [Fact]
    public async Task A_disposed_handler_takes_no_request()
    {
        Application.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Application.SendAsync().Within("an error"));
        Assert.Equal(0, Application.Opened);
    }

    /// <summary>Has no end, and stops by its token alone.</summary>
    private static OwnContent Endless(bool isSilent) => new(async (stream, cancellationToken) =>
    {
        while (!isSilent)
        {
            await stream.WriteAsync(new byte[1000], cancellationToken);
        }

        await Task.Delay(Timeout.Infinite, cancellationToken);
    });
}
