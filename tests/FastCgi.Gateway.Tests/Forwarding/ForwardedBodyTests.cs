using System.Buffers;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>Bodies stream both ways, and what has no body has none.</summary>
public sealed class ForwardedBodyTests : ClientTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_goes_there_and_back(bool isScgi)
    {
        await using var back = await GatewayBack.StartAsync(
            isScgi, static context => context.Request.Body.CopyToAsync(context.Response.Body));
        using var invoker = back.Invoker();
        await using var front = await GatewayFront.ForwardAsync(invoker);
        foreach (int size in (int[])[0, 1, 65_536, 3_000_000])
        {
            byte[] body = Bytes(size);
            using var answer = await front.Client.PostAsync("/", new ByteArrayContent(body)).Within($"{size} bytes");
            Assert.Equal(body, await answer.Content.ReadAsByteArrayAsync().Within("the body"));
        }

        using var chunked = new HttpRequestMessage(HttpMethod.Put, "/") { Content = new ByteArrayContent(Bytes(100_000)) };
        chunked.Headers.TransferEncodingChunked = true;
        using var last = await front.Client.SendAsync(chunked).Within("an answer to chunks");
        Assert.Equal(Bytes(100_000), await last.Content.ReadAsByteArrayAsync().Within("the body"));
    }

    /// <summary>The last piece is not left behind, whatever part of it was flushed before.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_of_declared_length_arrives_whole(bool isScgi)
    {
        await using var back = await GatewayBack.StartAsync(isScgi, static async context =>
        {
            int size = int.Parse(context.Request.Path.Value![1..], null);
            context.Response.ContentLength = size;
            await context.Response.Body.WriteAsync(Bytes(size));
        });
        using var invoker = back.Invoker();
        await using var front = await GatewayFront.ForwardAsync(invoker);
        foreach (int size in (int[])[1, 16_383, 16_384, 32_767, 32_768, 40_000, 50_000, 65_535, 70_000, 100_001, 1_048_576])
        {
            byte[] body = await front.Client.GetByteArrayAsync($"/{size}").Within($"{size} bytes");
            Assert.Equal(Bytes(size), body);
        }
    }

    [Fact]
    public async Task Each_piece_arrives_before_the_next_is_sent()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        var connection = await Application.AcceptAsync();
        await connection.ExpectHeadAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("Content-Type: text/plain\r\n\r\n"));
        await client.ReadToAsync("\r\n\r\n");
        foreach (string piece in (string[])["x", "y", "z"])
        {
            await client.SendAsync(piece);
            Assert.Equal(piece, Encoding.ASCII.GetString((await connection.ExpectRecordAsync()).Content));
            await connection.SendAsync(new RecordBuilder().Stdout($"<{piece}>"));
            await client.ReadToAsync($"<{piece}>");
        }

        await connection.SendAsync(new RecordBuilder().Record(6, 1, []).End());
        await client.ReadToAsync("\r\n0\r\n\r\n");
    }

    [Fact]
    public async Task Continue_comes_when_the_body_is_wanted()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        await client.ReadToAsync("HTTP/1.1 100 Continue\r\n\r\n");
        await client.SendAsync("ok");
        var connection = await Application.AcceptAsync();
        ReceivedRequest request = await connection.ExpectRequestAsync();
        Assert.False(request.Parameters.ContainsKey("HTTP_EXPECT"));
        Assert.Equal("2", request["CONTENT_LENGTH"]);
        await connection.RespondAsync("Status: 201 Created\r\n\r\n");
        await client.ReadToAsync("201 Created");
    }

    [Theory]
    [InlineData("GET", "Status: 204 No Content\r\nContent-Length: 0\r\n\r\n", 204, null)]
    [InlineData("GET", "Status: 204 No Content\r\nContent-Length: 7\r\n\r\ncontent", 204, null)]
    [InlineData("GET", "Status: 205 Reset Content\r\nContent-Length: 7\r\n\r\ncontent", 205, 0L)]
    [InlineData("GET", "Status: 103\r\nLink: </a>\r\n\r\nStatus: 204\r\n\r\n", 204, null)]
    [InlineData("GET", "Status: 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n", 304, 7L)]
    [InlineData("HEAD", "Content-Length: 7\r\n\r\n", 200, 7L)]
    [InlineData("HEAD", "Content-Type: text/plain\r\n\r\nneedless", 200, null)]
    public async Task A_response_without_a_body(string method, string response, int status, long? length)
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        for (int i = 0; i < 2; i++)
        {
            var answering = front.Client.SendAsync(new HttpRequestMessage(new HttpMethod(method), "/"));
            var connection = await Application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await connection.RespondAsync(response);
            connection.Close();
            using var answer = await answering.Within("an answer");
            Assert.Equal(status, (int)answer.StatusCode);
            Assert.Equal("", await answer.Content.ReadAsStringAsync().Within("nothing"));
            string[] lengths = answer.Content.Headers.NonValidated.TryGetValues("Content-Length", out var values)
                ? [.. values]
                : [];
            Assert.Equal(length is null ? [] : [$"{length}"], lengths);
        }
    }

    /// <summary>Methods of HTTP are case-sensitive, so Kestrel awaits the content that the length announces.</summary>
    [Fact]
    public async Task The_response_to_a_head_in_small_letters_is_whole()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("head / HTTP/1.1\r\nHost: a\r\n\r\n");
        var connection = await Application.AcceptAsync();
        ReceivedRequest request = await connection.ExpectRequestAsync();
        await connection.RespondAsync(
            request["REQUEST_METHOD"] == "HEAD" ? "Content-Length: 7\n\n" : "Content-Length: 7\n\ncontent");
        await client.SendAsync("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        Assert.Equal("/next", (await connection.ExpectRequestAsync())["REQUEST_URI"]);
        await connection.RespondAsync("Content-Length: 4\n\nnext");
        Assert.EndsWith("next", await client.ReadToAsync("next"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Headers_of_the_response_are_passed_on_but_those_of_the_hop()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        var (connection, answering) = await front.BeginAsync(Application);
        await connection.RespondAsync(
            "Status: 203 Non-Authoritative\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: X-Gone\r\nX-Gone: 1\r\n" +
            "Keep-Alive: 5\r\nUpgrade: h2c\r\nContent-Type: text/x\r\nContent-Language: de\r\nX-Kept: \t y \r\n\r\nbody");
        using var answer = await answering.Within("an answer");
        Assert.Equal(HttpStatusCode.NonAuthoritativeInformation, answer.StatusCode);
        Assert.Equal(["a=1", "b=2"], answer.Headers.GetValues("Set-Cookie"));
        Assert.Equal("y", Assert.Single(answer.Headers.GetValues("X-Kept")));
        Assert.Equal("text/x", answer.Content.Headers.ContentType?.MediaType);
        Assert.Equal("de", Assert.Single(answer.Content.Headers.ContentLanguage));
        Assert.False(answer.Headers.Contains("X-Gone") || answer.Headers.Contains("Keep-Alive"));
        Assert.Empty(answer.Headers.Upgrade);
        Assert.Equal("body", await answer.Content.ReadAsStringAsync());
    }

    [Theory]
    [InlineData("Status: 999 Odd\r\n", "HTTP/1.1 999 Odd\r\n")]
    [InlineData("Status: 200 Fine\r\n", "HTTP/1.1 200 Fine\r\n")]
    [InlineData("Status: 404\r\n", "HTTP/1.1 404 Not Found\r\n")]
    [InlineData("Content-Type: text/plain\r\n", "HTTP/1.1 200 OK\r\n")]
    [InlineData("Content-Length: 4\r\nContent-Length: 4\r\n", "\r\nContent-Length: 4\r\n")]
    public async Task A_head_is_passed_on_as_it_is(string head, string expected)
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        var connection = await Application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.RespondAsync($"{head}\r\nbody");
        Assert.Contains(expected, await client.ReadToAsync("body"), StringComparison.Ordinal);
        Assert.DoesNotContain(front.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.ResponseHeaderDropped);
    }

    [Theory]
    [InlineData("X-Accel-Redirect", "/protected/a.zip")]
    [InlineData("x-sendfile", "/srv/files/a.zip")]
    public async Task A_file_that_only_a_web_server_sends_is_not_named_to_the_client(string header, string value)
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        for (int i = 0; i < 2; i++)
        {
            var (connection, answering) = await front.BeginAsync(Application);
            await connection.RespondAsync($"{header}: {value}\r\nX-Kept: 1\r\n\r\n");
            connection.Close();
            using var answer = await answering.Within("an answer");
            Assert.False(answer.Headers.Contains(header));
            Assert.True(answer.Headers.Contains("X-Kept"));
        }

        LogEntry entry = Assert.Single(
            front.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.FileHeaderRemoved);
        Assert.Contains("InternalFiles", entry.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_header_that_cannot_be_sent_is_left_out_and_named()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        var (connection, answering) = await front.BeginAsync(Application);
        await connection.RespondAsync("Content-Disposition: inline; filename=\"\u00fc\"\r\nX-Kept: 1\r\n\r\nbody");
        using var answer = await answering.Within("an answer");
        Assert.Equal("1", Assert.Single(answer.Headers.GetValues("X-Kept")));
        Assert.Null(answer.Content.Headers.ContentDisposition);
        LogEntry entry = await front.Logs.WaitForAsync(GatewayEvents.ResponseHeaderDropped);
        Assert.Contains("Content-Disposition", entry.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_answer_before_the_end_of_the_upload_ends_the_request()
    {
        await using var front = await GatewayFront.ForwardAsync(Application.Invoker);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
        var connection = await Application.AcceptAsync();
        await connection.ExpectHeadAsync();
        await connection.RespondAsync("Status: 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
        Assert.StartsWith("HTTP/1.1 413 ", await client.ReadToAsync("\r\n\r\nno"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_flush_that_fails_leaves_the_read_its_buffer()
    {
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(new FailingStream()));
        var body = new PendingStream();
        using var message = new HttpResponseMessage { Content = new StreamContent(body) };
        var response = new ForwardedResponse(context, message, NullLogger.Instance);
        await Assert.ThrowsAsync<IOException>(() => response.CopyBodyAsync(CancellationToken.None).Within("an error"));
        byte[] rented = ArrayPool<byte>.Shared.Rent(body.Buffer!.Length);
        Assert.NotSame(body.Buffer, rented);
        ArrayPool<byte>.Shared.Return(rented);
    }

    private static byte[] Bytes(int size) => Encoding.ASCII.GetBytes(
        string.Concat(Enumerable.Range(0, (size / 8) + 1).Select(static i => $"{i:D7} "))[..size]);

    /// <summary>A client that has gone.</summary>
    private sealed class FailingStream : MemoryStream
    {
        public override Task FlushAsync(CancellationToken cancellationToken) =>
            Task.FromException(new IOException("broken"));
    }

    /// <summary>The second read of it does not end.</summary>
    private sealed class PendingStream : MemoryStream
    {
        private bool _hasByte;

        public byte[]? Buffer { get; private set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (!_hasByte)
            {
                _hasByte = true;
                return new(1);
            }

            MemoryMarshal.TryGetArray<byte>(buffer, out var segment);
            Buffer = segment.Array;
            return new(new TaskCompletionSource<int>().Task);
        }
    }
}
