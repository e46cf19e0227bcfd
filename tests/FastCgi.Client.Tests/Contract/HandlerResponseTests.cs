using System.Net.Http.Headers;

namespace FastCgi.Client.Tests.Contract;

/// <summary>A response is what the handlers of .NET make of one.</summary>
public sealed class HandlerResponseTests : ClientTest
{
    private static readonly Dictionary<string, Func<Stream, byte[]>> s_readings = new()
    {
        ["StreamReader"] = static body => Encoding.ASCII.GetBytes(new StreamReader(body).ReadToEnd()),
        ["Read"] = static body => ReadAll(buffer => body.Read(buffer, 0, buffer.Length)),
        ["Read of a span"] = static body => ReadAll(buffer => body.Read(buffer.AsSpan())),
        ["ReadByte"] = static body => ReadAll(buffer =>
        {
            int read = body.ReadByte();
            buffer[0] = (byte)read;
            return read < 0 ? 0 : 1;
        }),
        ["BeginRead"] = static body => ReadAll(
            buffer => body.EndRead(body.BeginRead(buffer, 0, buffer.Length, null, null))),
        ["CopyTo"] = static body =>
        {
            var copy = new MemoryStream();
            body.CopyTo(copy, 10);
            return copy.ToArray();
        },
    };

    public static TheoryData<string> Readings => [.. s_readings.Keys];

    [Fact]
    public async Task Headers_of_a_response_can_be_read_by_their_types()
    {
        using var response = await Application.AnswerAsync("""
            Status: 203 Odd
            Accept-Ranges: bytes
            Age: 12
            Allow: GET, HEAD
            Cache-Control: max-age=3600
            Content-Disposition: attachment; filename="fname.ext"
            Content-Encoding: gzip
            Content-Language: da
            Content-Location: /index.htm
            Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==
            Content-Range: bytes 21010-47021/47022
            Content-Type: text/html; charset=utf-8
            Date: Tue, 15 Nov 1994 08:12:31 GMT
            ETag: "737060cd8c284d8af7ad3082f209582d"
            Expires: -1
            Last-Modified: Tue, 15 Nov 1994 12:45:26 GMT
            Location: http://www.example.org/People.html
            Retry-After: 120
            Server: Apache/2.4.1 (Unix)
            Set-Cookie: a=b; Path=/
            Set-Cookie: c=d
            Vary: Accept-Language
            Via: 1.0 fred, 1.1 example.com (Apache/1.1)
            WWW-Authenticate: Basic
            X-Empty:
            X-Last: bye

            body
            """);
        Assert.Equal((HttpStatusCode)203, response.StatusCode);
        Assert.Equal("Odd", response.ReasonPhrase);
        HttpResponseHeaders head = response.Headers;
        Assert.Equal(["bytes"], head.AcceptRanges);
        Assert.Equal(TimeSpan.FromSeconds(12), head.Age);
        Assert.Equal(TimeSpan.FromHours(1), head.CacheControl!.MaxAge);
        Assert.Equal(1994, head.Date!.Value.Year);
        Assert.Equal("\"737060cd8c284d8af7ad3082f209582d\"", head.ETag!.Tag);
        Assert.Equal("http://www.example.org/People.html", head.Location!.AbsoluteUri);
        Assert.Equal(TimeSpan.FromMinutes(2), head.RetryAfter!.Delta);
        Assert.Equal("Apache/2.4.1 (Unix)", head.Server.ToString());
        Assert.Equal(["a=b; Path=/", "c=d"], head.GetValues("Set-Cookie"));
        Assert.Equal(["Accept-Language"], head.Vary);
        Assert.Equal(2, head.Via.Count);
        Assert.Equal("Basic", Assert.Single(head.WwwAuthenticate).Scheme);
        Assert.Equal([""], head.GetValues("X-Empty"));
        Assert.Equal(["bye"], head.GetValues("X-Last"));
        HttpContentHeaders content = response.Content.Headers;
        Assert.Equal(["GET", "HEAD"], content.Allow);
        Assert.Equal("fname.ext", content.ContentDisposition!.FileName);
        Assert.Equal(["gzip"], content.ContentEncoding);
        Assert.Equal(["da"], content.ContentLanguage);
        Assert.Equal("/index.htm", content.ContentLocation!.OriginalString);
        Assert.Equal("Check Integrity!", Encoding.ASCII.GetString(content.ContentMD5!));
        Assert.Equal(47022, content.ContentRange!.Length);
        Assert.Equal("utf-8", content.ContentType!.CharSet);
        Assert.Equal(DateTimeOffset.MinValue, content.Expires);
        Assert.Equal(45, content.LastModified!.Value.Minute);
        Assert.Null(content.ContentLength);
        Assert.Empty(response.TrailingHeaders);
    }

    [Theory]
    [InlineData("200 OK", 200, "OK")]
    [InlineData("200 Sure why not?", 200, "Sure why not?")]
    [InlineData("200", 200, "OK")]
    [InlineData("200 ", 200, "OK")]
    [InlineData("299 This is not a real status code", 299, "This is not a real status code")]
    [InlineData("345 redirect to nowhere", 345, "redirect to nowhere")]
    [InlineData("400 Bad Request", 400, "Bad Request")]
    [InlineData("405 Custom description", 405, "Custom description")]
    [InlineData("555 we just don't like you", 555, "we just don't like you")]
    [InlineData("600 still valid", 600, "still valid")]
    [InlineData("200 O\tK", 200, "O\tK")]
    [InlineData("200 O    \t\t  \t K", 200, "O    \t\t  \t K")]
    [InlineData("200 OK\u0080", 200, "OK\u0080")]
    public async Task A_status_has_its_code_and_its_reason(string status, int code, string reason)
    {
        foreach (string line in (string[])[$"Status: {status}", $"HTTP/1.1 {status}"])
        {
            using var application = new ScriptedApplication();
            using var response = await application.AnswerAsync($"{line}\r\nA: b\r\n\r\n");
            Assert.Equal(code, (int)response.StatusCode);
            Assert.Equal(reason, response.ReasonPhrase);
        }
    }

    [Theory]
    [InlineData(300)]
    [InlineData(301)]
    [InlineData(302)]
    [InlineData(303)]
    [InlineData(307)]
    [InlineData(308)]
    public async Task A_redirect_of_HTTP_is_a_response(int status)
    {
        using var response = await Application.AnswerAsync($"Status: {status}\nLocation: /next\nContent-Length: 0\n\n");
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal("/next", response.Headers.Location!.OriginalString);
        Assert.Equal(1, Application.Opened);
    }

    /// <summary>CGI allows one (RFC 3875, section 6.3), and nginx sends the last of several.</summary>
    [Fact]
    public async Task Of_several_content_types_the_last_one_counts()
    {
        using var response = await Application.AnswerAsync("Content-Type: text/plain\nContent-type: text/html\n\nbody");
        Assert.Equal("text/html", Assert.Single(response.Content.Headers.NonValidated["Content-Type"]));
    }

    /// <summary>The caller would read bytes of a protocol that it does not speak.</summary>
    [Fact]
    public async Task A_101_that_was_not_asked_for_fails_the_request()
    {
        var (connection, sending) = await Application.BeginAsync();
        await connection.RespondAsync("Status: 101\nUpgrade: websocket\n\n");
        await sending.FailsAsync(FastCgiError.InvalidHead);
    }

    [Theory]
    [InlineData("Status: 99")]
    [InlineData("Status: 1000")]
    [InlineData("Status: 2345")]
    [InlineData("Status: ")]
    [InlineData("Status: abc")]
    [InlineData("Status: 20c")]
    [InlineData("Status: 23")]
    [InlineData("Status: 200OK")]
    [InlineData("Status: 200\tOK")]
    [InlineData("Status: 200\u00b9")]
    [InlineData("Status: 200\nStatus: 201")]
    [InlineData("Location: http://h/a\nLocation: http://h/b")]
    [InlineData("HTTP/1.1")]
    [InlineData("HTTP/1.1 ")]
    [InlineData("HTTP/1.1 !11")]
    [InlineData("HTTP/1.1\t200 OK")]
    [InlineData("NOTHTTP/1.1 200 OK")]
    [InlineData("HTTP 1.1 200 OK")]
    [InlineData(": no name")]
    [InlineData("\u1234: \u5678")]
    [InlineData("nocolon")]
    [InlineData("no colon")]
    [InlineData("Content-Length      ")]
    [InlineData("A : b")]
    [InlineData("A: b\n folded")]
    [InlineData("A: b\n\tfolded")]
    [InlineData("Content-Length: 1, 1")]
    [InlineData("Content-Length: +1")]
    [InlineData("Content-Length: 99999999999999999999")]
    public async Task A_head_that_is_none_fails_the_request(string line)
    {
        var (connection, sending) = await Application.BeginAsync();
        await connection.RespondAsync($"{line}\r\n\r\nhello world");
        var exception = await sending.FailsAsync(FastCgiError.InvalidHead);
        Assert.Equal(HttpRequestError.InvalidResponse, exception.HttpRequestError);
    }

    [Theory]
    [InlineData("\n")]
    [InlineData("\r\n")]
    public async Task Blanks_around_a_value_are_no_part_of_it(string end)
    {
        foreach (string value in (string[])["bar ", " bar", "bar\t", "\tbar", " bar ", "\t bar \t"])
        {
            using var application = new ScriptedApplication();
            using var response = await application.AnswerAsync($"foo:{value}{end}{end}");
            Assert.Equal("bar", Assert.Single(response.Headers.NonValidated["foo"]));
        }
    }

    [Theory]
    [InlineData(1, 1024, true)]
    [InlineData(1, 1025, false)]
    [InlineData(31, 31 * 1024, true)]
    [InlineData(31, 31 * 1024 + 1, false)]
    [InlineData(null, 64 * 1024, true)]
    [InlineData(null, 64 * 1024 + 1, false)]
    public async Task A_head_may_be_as_long_as_its_limit(int? limit, int length, bool isTaken)
    {
        using var application = new ScriptedApplication(
            options => options.MaxResponseHeadersLength = limit ?? options.MaxResponseHeadersLength);
        string head = "Status: 200 OK\r\nContent-Length: 0\r\nX: ";
        var (connection, sending) = await application.BeginAsync();
        await connection.RespondAsync(head + new string('c', length - head.Length - 4) + "\r\n\r\n");
        if (isTaken)
        {
            (await sending.Within("a response")).Dispose();
            return;
        }

        var exception = await sending.FailsAsync(FastCgiError.HeadTooLong);
        Assert.Equal(HttpRequestError.ConfigurationLimitExceeded, exception.HttpRequestError);
        Assert.Contains($"{1024 * (limit ?? 64)}", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_header_without_an_end_is_cut_off_at_the_limit()
    {
        var (connection, sending) = await Application.BeginAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Length: 0\r\nInfinite: "));
        for (int i = 0; i < 5; i++)
        {
            await connection.SendAsync(new RecordBuilder().Stdout(new string('s', 16_000)));
        }

        await sending.FailsAsync(FastCgiError.HeadTooLong);
        await connection.ExpectClosedAsync();
    }

    /// <summary>A reader that looked at all of the head after each byte would take hours.</summary>
    [Fact]
    public async Task A_long_header_that_comes_byte_by_byte_takes_no_longer_than_its_bytes()
    {
        const int Bulk = 8 * 1024 * 1024;
        byte[] drops = Encoding.ASCII.GetBytes(new string('b', 50_000) + "\n\nbody");
        int dropped = 0;
        var stream = new PeerStream
        {
            OnRead = PeerStream.Giving(Encoding.ASCII.GetBytes("X: " + new string('a', Bulk)), (buffer, _) =>
            {
                drops.AsSpan(dropped, dropped < drops.Length ? 1 : 0).CopyTo(buffer.Span);
                return new(dropped++ < drops.Length ? 1 : 0);
            }),
        };
        using var application = ScriptedApplication.Over(stream, static options =>
        {
            options.Protocol = FastCgiEndpointProtocol.Scgi;
            options.MaxResponseHeadersLength = 1024 * 1024;
        });
        using var response = await application.SendAsync().Within("a response");
        Assert.Equal(Bulk + 50_000, Assert.Single(response.Headers.NonValidated["X"]).Length);
        Assert.Equal("body", await response.Content.ReadAsStringAsync().Within("the body"));
    }

    [Theory, MemberData(nameof(Readings))]
    public async Task A_content_can_be_read_in_each_way(string name)
    {
        string body = string.Concat(Enumerable.Range(0, 5000));
        foreach (string length in (string[])["", $"Content-Length: {body.Length}\n"])
        {
            using var application = new ScriptedApplication();
            using var response = await application.AnswerAsync($"{length}A: b\n\n{body}");
            byte[] read = await Task.Run(() => s_readings[name](response.Content.ReadAsStream())).Within("the body");
            Assert.Equal(body, Encoding.ASCII.GetString(read));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("hello")]
    public async Task The_stream_of_a_content_is_one_until_its_disposal(string body)
    {
        using var response = await Application.AnswerAsync($"A: b\n\n{body}");
        Stream stream = await response.Content.ReadAsStreamAsync();
        Assert.Same(stream, await response.Content.ReadAsStreamAsync());
        Assert.True(stream.CanRead);
        Assert.False(stream.CanWrite);
        Assert.False(stream.CanSeek);
        var copy = new MemoryStream();
        await stream.CopyToAsync(copy).Within("the body");
        await stream.CopyToAsync(copy).Within("the end");
        Assert.Equal(body, Encoding.ASCII.GetString(copy.ToArray()));
        Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().Within("the end"));
        Assert.Equal(-1, stream.ReadByte());
        await stream.DisposeAsync();
        Assert.False(stream.CanRead);
    }

    /// <summary>It says that content is there, without a buffer for it.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_read_of_nothing_waits_until_content_is_there(bool hasLength)
    {
        var (connection, response) = await Application.BeginResponseAsync(
            hasLength ? "Content-Length: 3\n\n1" : "A: b\n\n1");
        Stream body = await response.Content.ReadAsStreamAsync();
        Assert.Equal(1, await body.ReadAsync(new byte[1]).AsTask().Within("a byte"));
        Task<int> nothing = body.ReadAsync(Memory<byte>.Empty).AsTask();
        Assert.False(nothing.IsCompleted);
        await connection.SendAsync(new RecordBuilder().Stdout("23"));
        Assert.Equal(0, await nothing.Within("a sign of content"));
        Assert.True(body.ReadAsync(Memory<byte>.Empty).AsTask().IsCompletedSuccessfully);
        byte[] rest = new byte[9];
        Assert.Equal(2, await body.ReadAsync(rest).AsTask().Within("the rest"));
        await connection.SendAsync(new RecordBuilder().End());
        Assert.Equal(0, await body.ReadAsync(Memory<byte>.Empty).AsTask().Within("the end"));
    }

    [Fact]
    public async Task A_slow_content_is_read_as_far_as_it_has_come()
    {
        var (connection, response) = await Application.BeginResponseAsync(
            "Content-Length: 16000\n\nless than 16000 bytes");
        Stream body = await response.Content.ReadAsStreamAsync();
        byte[] buffer = new byte[8000];
        int read = await body.ReadAsync(buffer).AsTask().Within("what has come");
        Assert.Equal("less than 16000 bytes", Encoding.ASCII.GetString(buffer.AsSpan(0, read)));
    }

    /// <summary>HttpClient buffers by default, and tells a broken response as an HttpRequestException.</summary>
    [Theory]
    [InlineData("Content-Length: 5\n\nhe")]
    [InlineData("Content-Length: 5\n")]
    public async Task A_response_that_lacks_its_end_is_an_HttpRequestException_of_HttpClient(string answer)
    {
        using var client = Application.CreateClient();
        foreach (Func<Task> get in (Func<Task>[])[
            () => client.GetStringAsync("http://localhost/"),
            () => client.GetByteArrayAsync("http://localhost/"),
            () => client.GetAsync("http://localhost/")])
        {
            Task getting = get();
            var connection = await Application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync(answer);
            var exception = await Assert.ThrowsAnyAsync<HttpRequestException>(() => getting.Within("an error"));
            Assert.Equal(FastCgiError.ResponseEnded, FastCgiException.Find(exception)!.Error);
            Assert.Equal(HttpRequestError.ResponseEnded, exception.HttpRequestError);
        }
    }

    /// <summary>A reader that tries again must not take half of a response for all of it.</summary>
    [Fact]
    public async Task A_read_behind_one_that_failed_fails_too()
    {
        var (connection, response) = await Application.BeginResponseAsync("A: b\n\nhalf");
        Stream body = await response.Content.ReadAsStreamAsync();
        Assert.Equal(4, await body.ReadAsync(new byte[9]).AsTask().Within("what has come"));
        connection.Close();
        var first = await Assert.ThrowsAsync<HttpIOException>(() => ReadAsync(body));
        Assert.Same(first, await Assert.ThrowsAsync<HttpIOException>(() => ReadAsync(body)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_read_behind_one_that_was_cancelled_fails(bool isUpgraded)
    {
        using var application = new ScriptedApplication(static options => options.Protocol = FastCgiEndpointProtocol.Scgi);
        using var request = isUpgraded ? ScriptedApplication.Upgrade() : null;
        var (connection, sending) = await application.OpenAsync(request);
        await connection.SendAsync(Encoding.ASCII.GetBytes(isUpgraded ? "Status: 101\n\nhalf" : "A: b\n\nhalf"));
        using var response = await sending.Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Assert.Equal(4, await body.ReadAsync(new byte[9]).AsTask().Within("what has come"));
        using var cancellation = new CancellationTokenSource();
        Task<int> reading = ReadAsync(body, cancellation.Token);
        await cancellation.CancelAsync();
        var exception = await Assert.ThrowsAsync<TaskCanceledException>(() => reading);
        Assert.Equal(cancellation.Token, exception.CancellationToken);
        await Assert.ThrowsAsync<IOException>(() => ReadAsync(body));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_may_be_sent_by_a_thread_that_waits(bool hasContext)
    {
        var context = new CountingContext();
        Task<string> sending = Task.Factory.StartNew(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(hasContext ? context : null);
                using var request = ScriptedApplication.Post(new StringContent("hello"));
                using HttpResponseMessage response = Application.Invoker.Send(request, CancellationToken.None);
                return new StreamReader(response.Content.ReadAsStream()).ReadToEnd();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        var connection = await Application.AcceptAsync();
        Assert.Equal("hello"u8.ToArray(), (await connection.ExpectRequestAsync()).Body);
        foreach (byte one in Response.Of("A: b\n\nworld").ToArray())
        {
            await connection.SendAsync(new[] { one });
        }

        Assert.Equal("world", await sending.Within("the body"));
        Assert.Equal(0, context.Posts);
    }

    private static Task<int> ReadAsync(Stream body, CancellationToken cancellationToken = default) =>
        body.ReadAsync(new byte[9], cancellationToken).AsTask().Within("an error");

    private static byte[] ReadAll(Func<byte[], int> read)
    {
        var all = new MemoryStream();
        byte[] buffer = new byte[10];
        int count;
        while ((count = read(buffer)) > 0)
        {
            all.Write(buffer, 0, count);
        }

        return all.ToArray();
    }

    private sealed class CountingContext : SynchronizationContext
    {
        private int _posts;

        public int Posts => _posts;

        public override void Post(SendOrPostCallback d, object? state)
        {
            Interlocked.Increment(ref _posts);
            base.Post(d, state);
        }
    }
}
