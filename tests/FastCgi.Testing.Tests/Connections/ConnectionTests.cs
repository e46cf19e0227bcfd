using System.Text;
using FastCgi.Protocol;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Testing.Tests.Connections;

/// <summary>What a test provokes on a connection of its own, over a unix socket and over TCP.</summary>
public abstract class ConnectionTests(FastCgiApplicationFactory<Program> factory)
{
    private Witness Witness => factory.Services.GetRequiredService<Witness>();

    [Fact]
    public async Task A_response_comes_as_values()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var response = await connection.SendAsync(new FastCgiTestRequest("GET", "/stderr"));

        Assert.Equal((200, "done", "a warning"), (response.StatusCode, response.Text, response.StandardError));
        Assert.Equal(new EndRequestBody(0, ProtocolStatus.RequestComplete), response.EndRequest);
    }

    [Fact]
    public async Task Headers_and_a_body_are_sent()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var request = new FastCgiTestRequest("POST", "/echo") { Body = "Grüße"u8.ToArray(), ContentType = "text/plain" };
        request.Headers["Accept-Language"] = "de";
        request.Parameters["HTTP_USER_AGENT"] = "a test";

        var response = await connection.SendAsync(request);

        Assert.Equal((200, "Grüße", "text/plain"), (response.StatusCode, response.Text, response.Headers.ContentType.ToString()));
        Assert.True(response.Headers.IsReadOnly);
    }

    [Fact]
    public async Task Two_requests_use_one_kept_connection()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var first = await connection.SendAsync(new FastCgiTestRequest("GET", "/feature"));
        var second = await connection.SendAsync(new FastCgiTestRequest("GET", "/feature") { KeepConnection = false });

        Assert.Equal(first.Text, second.Text);
        Assert.False((await connection.SendAsync(new FastCgiTestRequest())).IsComplete);
    }

    [Fact]
    public async Task A_body_cut_short_by_a_lost_connection_aborts_the_request()
    {
        var id = Guid.NewGuid().ToString();
        var connection = await factory.ConnectFastCgiAsync();
        await connection.StartAsync(
            new FastCgiTestRequest("POST", $"/pieces/{id}") { Body = "a part"u8.ToArray(), ContentLength = 100 });
        await Witness.AwaitAsync($"{id}: a part").Within("the part");

        connection.Reset();

        await Witness.AwaitAsync($"{id}: failed").Within("the failure of the handler");
    }

    [Fact]
    public async Task A_slow_upload_arrives_piece_by_piece()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        var upload = await connection.StartAsync(new FastCgiTestRequest("POST", $"/pieces/{id}") { ContentLength = 8 });

        await upload.WriteAsync("slow"u8.ToArray());
        await Witness.AwaitAsync($"{id}: slow").Within("the first piece");
        await upload.WriteAsync("ness"u8.ToArray());
        await Witness.AwaitAsync($"{id}: ness").Within("the second piece");
        await upload.CompleteAsync();

        Assert.Equal("all", (await upload.ReadToEndAsync()).Text);
    }

    [Fact]
    public async Task A_piece_behind_the_end_of_the_body_is_refused()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var request = await connection.StartAsync(new FastCgiTestRequest("POST", "/upload"));

        await Assert.ThrowsAsync<InvalidOperationException>(() => request.WriteAsync("more"u8.ToArray()));
        await request.CompleteAsync();
        Assert.Equal("0", (await request.ReadToEndAsync()).Text);
    }

    [Fact]
    public async Task A_slow_reader_holds_up_the_application()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        var download = await connection.StartAsync(new FastCgiTestRequest("GET", $"/large/{id}"));

        Assert.Equal(200, (await download.ReadHeadAsync()).StatusCode);
        for (var i = 0; i < Witness.LargePieces; i++)
        {
            if (i == Witness.LargePieces / 8)
            {
                Assert.False(Witness.Has($"{id}: written"));
            }

            var piece = await download.ReadAsync(Witness.LargePiece);
            Assert.True(piece.Length == Witness.LargePiece && !piece.Span.ContainsAnyExcept((byte)i), $"piece {i}");
        }

        Assert.Equal(0, (await download.ReadAsync(1)).Length);
        Assert.Equal(Witness.LargePieces * Witness.LargePiece, (await download.ReadToEndAsync()).Body.Length);
    }

    [Fact]
    public async Task ABORT_REQUEST_aborts_the_request_and_keeps_the_connection()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        var wait = await connection.StartAsync(new FastCgiTestRequest("GET", $"/wait/{id}"));
        await Witness.AwaitAsync($"{id}: started").Within("the start of the handler");

        await wait.AbortAsync();

        Assert.True((await wait.ReadToEndAsync()).IsComplete);
        await Witness.AwaitAsync($"{id}: aborted").Within("the abort");
        Assert.Equal("Hello", (await connection.SendAsync(new FastCgiTestRequest())).Text);
    }

    [Fact]
    public async Task A_lost_connection_aborts_the_request()
    {
        var id = Guid.NewGuid().ToString();
        var connection = await factory.ConnectFastCgiAsync();
        var wait = await connection.StartAsync(new FastCgiTestRequest("GET", $"/wait/{id}"));
        await Witness.AwaitAsync($"{id}: started").Within("the start of the handler");

        connection.Reset();

        await Witness.AwaitAsync($"{id}: aborted").Within("the abort");
    }

    [Fact]
    public async Task A_torn_response_has_no_END_REQUEST()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var response = await connection.SendAsync(new FastCgiTestRequest("GET", "/tear"));

        Assert.Equal((200, "a part", false), (response.StatusCode, response.Text, response.IsComplete));
        Assert.Equal("status 200, 6 bytes, no END_REQUEST", response.ToString());
    }

    [Fact]
    public async Task An_unknown_role_is_refused_by_the_protocol_status()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var response = await connection.SendAsync(new FastCgiTestRequest { Role = FastCgiRole.Filter });

        Assert.Equal(ProtocolStatus.UnknownRole, response.EndRequest?.ProtocolStatus);
    }

    [Fact]
    public async Task A_head_is_read_before_its_body()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        var request = await connection.StartAsync(new FastCgiTestRequest("GET", $"/parts/{id}"));

        var head = await request.ReadHeadAsync();
        var first = await request.ReadAsync(6);
        Witness.Report($"{id}: go on");

        Assert.Equal((200, false), (head.StatusCode, head.IsComplete));
        Assert.Equal("first,", Encoding.UTF8.GetString(first.Span));
        Assert.Equal("first,second", (await request.ReadToEndAsync()).Text);
    }

    [Fact]
    public async Task A_call_that_takes_too_long_says_what_was_awaited_and_what_had_arrived()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        var request = await connection.StartAsync(new FastCgiTestRequest("GET", $"/parts/{id}"));
        await request.ReadHeadAsync();
        await request.ReadAsync(6);
        connection.Timeout = TimeSpan.FromMilliseconds(1);

        var exception = await Assert.ThrowsAsync<TimeoutException>(() => request.ReadToEndAsync());

        Assert.Equal(
            $"GET /parts/{id}: not within 0.001 s: the end of the response. Received: " +
            "status 200, 6 bytes, no END_REQUEST.",
            exception.Message);
        Witness.Report($"{id}: go on");
    }

    [Fact]
    public async Task A_second_request_before_the_end_of_the_first_is_refused()
    {
        var id = Guid.NewGuid().ToString();
        using var connection = await factory.ConnectFastCgiAsync();
        await connection.StartAsync(new FastCgiTestRequest("GET", $"/wait/{id}"));

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => connection.SendAsync(new FastCgiTestRequest()));

        Assert.Equal(
            $"The response to GET /wait/{id} has not been read to its end. Read it, or take another connection.",
            exception.Message);
    }

    [Fact]
    public async Task A_large_body_that_is_answered_while_it_is_sent_does_not_hang()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var body = new byte[4_000_000];
        new Random(2).NextBytes(body);

        var response = await connection.SendAsync(new FastCgiTestRequest("POST", "/echo") { Body = body });

        Assert.True(response.Body.Span.SequenceEqual(body));
    }

    [Fact]
    public async Task A_timeout_that_is_longer_than_a_timer_can_count_is_no_limit_and_one_of_nothing_is_refused()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        connection.Timeout = TimeSpan.MaxValue;

        var response = await connection.SendAsync(new FastCgiTestRequest("POST", "/echo") { Body = "body"u8.ToArray() });

        Assert.Equal("body", response.Text);
        Assert.Throws<ArgumentOutOfRangeException>(() => connection.Timeout = TimeSpan.Zero);
    }
}
