namespace FastCgi.PeerTests.Harness;

/// <summary>What every application must agree on with the client.</summary>
public abstract class PeerTest<TApplication>(TApplication application) : IClassFixture<TApplication>, IAsyncDisposable
    where TApplication : PeerApplication
{
    private readonly List<IDisposable> _clients = [];

    /// <summary>It sends what it has read of the body while more of it comes.</summary>
    protected virtual bool IsDuplex => true;

    /// <summary>It has a way to write to STDERR.</summary>
    protected virtual bool HasStandardError => false;

    /// <summary>It closes no connection that several requests share while one of them is under way.</summary>
    protected virtual bool KeepsSharedConnections => true;

    protected TApplication Application { get; } = application;

    [Fact]
    public async Task A_request_and_its_response_agree()
    {
        using var client = await ClientAsync();
        for (int i = 0; i < 3; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/echo?a=b%20c&d")
            {
                Content = new StringContent("body", Encoding.UTF8, "text/plain"),
            };
            request.Headers.Add("X-Custom", "custom");
            using var response = await client.SendAsync(request).Within("a response");
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.Equal("POST", response.Headers.GetValues("X-Method").Single());
            Assert.Equal("a=b%20c&d", response.Headers.GetValues("X-Query").Single());
            Assert.Equal("custom", response.Headers.GetValues("X-Custom").Single());
            Assert.Equal(["a=1", "b=2"], response.Headers.GetValues("Set-Cookie"));
            Assert.Equal("body", await response.Content.ReadAsStringAsync());
        }
    }

    [Fact]
    public async Task A_get_has_no_body()
    {
        using var client = await ClientAsync();
        using var response = await client.GetAsync("/echo").Within("a response");
        Assert.Equal("GET", response.Headers.GetValues("X-Method").Single());
        Assert.Empty(await response.Content.ReadAsByteArrayAsync());
    }

    [Theory]
    [InlineData(65_535, true)]
    [InlineData(300_000, true)]
    [InlineData(300_000, false)]
    public async Task A_body_comes_back(int size, bool hasLength)
    {
        using var client = await ClientAsync(options => options.UnknownLengthBody =
            IsDuplex ? FastCgiUnknownLengthBody.WhereNeeded : FastCgiUnknownLengthBody.Buffer);
        byte[] body = new byte[size];
        new Random(1).NextBytes(body);
        HttpContent content = new ByteArrayContent(body);
        if (!hasLength)
        {
            content = new StreamContent(new UnseekableStream(body));
        }

        content.Headers.ContentType = new("application/octet-stream");
        using var response = await client.PostAsync("/echo", content).Within("a response");
        Assert.Equal(body, await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task A_large_response_is_whole()
    {
        using var client = await ClientAsync();
        string body = await client.GetStringAsync("/large").Within("a response");
        Assert.Equal(new string('x', 1024 * 1024), body);
    }

    [Fact]
    public async Task A_status_is_passed_on()
    {
        using var client = await ClientAsync();
        using var response = await client.GetAsync("/nothing").Within("a response");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task A_response_that_is_given_up_leaves_the_application_usable()
    {
        using var client = await ClientAsync();
        using (var response = await client.GetAsync("/slow", HttpCompletionOption.ResponseHeadersRead).Within("a head"))
        {
            Stream body = await response.Content.ReadAsStreamAsync();
            byte[] first = new byte[6];
            await body.ReadExactlyAsync(first).AsTask().Within("the first line");
            Assert.Equal("first\n", Encoding.ASCII.GetString(first));
        }

        Assert.NotEmpty(await client.GetStringAsync("/large").Within("the next response"));
    }

    /// <summary>An application may answer an aborted request after all, on the connection that it came on.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_answer_to_an_aborted_request_goes_to_no_other(bool isShared)
    {
        using var client = await ClientAsync(options =>
        {
            options.KeepConnection = true;
            options.MaxConnections = 1;
            options.MultiplexRequests = isShared;
            options.ConnectTimeout = TimeSpan.FromSeconds(2);
        });
        for (int round = 0; round < 3; round++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"/late?aborted-{round}")
            {
                Content = IsDuplex ? new StreamContent(new StalledStream()) : new ByteArrayContent("abc"u8.ToArray()),
            };
            request.Content.Headers.ContentType = new("application/octet-stream");
            request.Content.Headers.ContentLength = IsDuplex ? 10 : 3;
            using (var aborted = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).Within("a head"))
            {
                Stream body = await aborted.Content.ReadAsStreamAsync();
                await body.ReadExactlyAsync(new byte[6]).AsTask().Within("the first line");
            }

            using var echo = await client.GetAsync($"/echo?echo-{round}").Within("the next response");
            Assert.Equal($"echo-{round}", echo.Headers.GetValues("X-Query").Single());
            Assert.Empty(await echo.Content.ReadAsByteArrayAsync());
            Assert.Equal($"begun\n{round}", await client.GetStringAsync($"/late?{round}").Within("the one after it"));
        }
    }

    /// <summary>
    /// 16 at a time: with a body, with much content, given up after the head. FASTCGI_MIXED sets how many: 160.
    /// </summary>
    [Fact]
    public async Task Mixed_requests_on_shared_connections_all_end()
    {
        int mixed = RunSettings.Number("FASTCGI_MIXED") ?? 160;
        using var client = await ClientAsync(options =>
        {
            options.MultiplexRequests = KeepsSharedConnections;
            options.ConnectTimeout = TimeSpan.FromSeconds(2);
        });
        int next = 0;
        await Task.WhenAll(Enumerable.Range(0, 16).Select(async _ =>
        {
            for (int i = Interlocked.Increment(ref next); i <= mixed; i = Interlocked.Increment(ref next))
            {
                switch (i % 4)
                {
                    case 0:
                        string text = new((char)('a' + (i % 26)), (i * 37) % 100_000);
                        using (var echo = await client.PostAsync($"/echo?{i}", new StringContent(text)).Within($"answer {i}"))
                        {
                            Assert.Equal($"{i}", echo.Headers.GetValues("X-Query").Single());
                            Assert.Equal(text, await echo.Content.ReadAsStringAsync());
                        }

                        break;
                    case 1:
                        Assert.Equal(1024 * 1024, (await client.GetStringAsync("/large").Within($"answer {i}")).Length);
                        break;
                    case 2:
                        using (await client.GetAsync("/large", HttpCompletionOption.ResponseHeadersRead).Within($"head {i}"))
                        {
                        }

                        break;
                    default:
                        using (var small = await client.GetAsync($"/echo?{i}").Within($"answer {i}"))
                        {
                            Assert.Equal($"{i}", small.Headers.GetValues("X-Query").Single());
                        }

                        break;
                }
            }
        }));
    }

    [Fact]
    public async Task Many_requests_at_a_time_have_their_own_answers()
    {
        using var client = await ClientAsync();
        await Task.WhenAll(Enumerable.Range(0, 20).Select(async i =>
        {
            string text = new((char)('a' + i), 10_000);
            using var response = await client.PostAsync("/echo", new StringContent(text)).Within("a response");
            Assert.Equal(text, await response.Content.ReadAsStringAsync());
        }));
    }

    /// <summary>An application that cannot write to STDERR leaves the sink empty.</summary>
    [Fact]
    public async Task Standard_error_goes_to_the_sink()
    {
        var errors = new StringBuilder();
        using var client = await ClientAsync(options =>
            options.StandardError = (_, bytes) => errors.Append(Encoding.UTF8.GetString(bytes.Span)));
        if (HasStandardError)
        {
            Assert.Equal("warned", await client.GetStringAsync("/warning").Within("a response"));
            Assert.Contains("a warning of the application", errors.ToString(), StringComparison.Ordinal);
        }
        else
        {
            Assert.NotEmpty(await client.GetStringAsync("/large").Within("a response"));
            Assert.Equal("", errors.ToString());
        }
    }

    public ValueTask DisposeAsync()
    {
        _clients.ForEach(static client => client.Dispose());
        GC.SuppressFinalize(this);
        return default;
    }

    protected async Task<HttpClient> ClientAsync(Action<FastCgiHandlerOptions>? configure = null)
    {
        await Application.StartAsync();
        var options = new FastCgiHandlerOptions { Endpoint = Application.Endpoint };
        Application.Configure(options);
        configure?.Invoke(options);
        var client = new HttpClient(new FastCgiHandler(options))
        {
            BaseAddress = new Uri("http://localhost/"),
            Timeout = Deadline.Of(TimeSpan.FromMinutes(2)),
        };
        _clients.Add(client);
        return client;
    }

    /// <summary>Posts on connections that are asked to be kept, some at the same time.</summary>
    /// <param name="path">Answers with the body.</param>
    /// <param name="canRepeat">The client can read a body again, as it does for methods that may be repeated.</param>
    protected async Task PostManyAsync(string path, bool canRepeat)
    {
        using var client = await ClientAsync(static options => options.KeepConnection = true);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async number =>
        {
            for (int i = 0; i < 25; i++)
            {
                byte[] body = Encoding.ASCII.GetBytes($"{number}, {i}");
                using HttpContent content = canRepeat
                    ? new ByteArrayContent(body)
                    : new StreamContent(new UnseekableStream(body)) { Headers = { ContentLength = body.Length } };
                using var response = await client.PostAsync(path, content).Within("a response");
                Assert.Equal(body, await response.Content.ReadAsByteArrayAsync());
            }
        }));
    }

    /// <summary>Gives three bytes and then no more.</summary>
    private sealed class StalledStream : MemoryStream
    {
        private bool _hasBegun;

        public override bool CanSeek => false;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_hasBegun)
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
            }

            _hasBegun = true;
            "abc"u8.CopyTo(buffer.Span);
            return 3;
        }
    }

    private sealed class UnseekableStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
