namespace FastCgi.Client.Tests.Responses;

/// <summary>However a response is cut, it is the same; wherever it breaks off, it is an error.</summary>
public sealed class ResponseSplitTests
{
    private const string Text =
        "Status: 201 Made\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\nSet-Cookie: b=2\r\nX-Empty:\r\n\r\nHello, records";

    [Fact]
    public async Task Every_split_is_the_same_response()
    {
        var errors = new StringBuilder();
        using var application = new ScriptedApplication(options =>
            options.StandardError = (_, bytes) => errors.Append(Encoding.ASCII.GetString(bytes.Span)));
        await application.AnswerAtEverySplitAsync(Records, async response =>
        {
            Assert.Equal(HttpStatusCode.Created, response.StatusCode);
            Assert.Equal("Made", response.ReasonPhrase);
            Assert.Equal(["a=1", "b=2"], response.Headers.GetValues("Set-Cookie"));
            Assert.Equal("", response.Headers.GetValues("X-Empty").Single());
            Assert.Equal("text/plain", response.Content.Headers.ContentType!.ToString());
            Assert.Equal("Hello, records", await response.Content.ReadAsStringAsync().Within("the body"));
            Assert.Equal("a warning", errors.ToString());
            errors.Clear();
        });
    }

    [Fact]
    public async Task Truncated_at_every_byte_it_is_an_error()
    {
        foreach (var truncation in Splits.Truncations(Records(id: 1)))
        {
            using var application = new ScriptedApplication();
            var (connection, sending) = await application.BeginAsync();
            await connection.SendAsync(truncation);
            connection.Close();
            var exception = await Assert.ThrowsAnyAsync<HttpRequestException>(async () =>
            {
                using var response = await sending.Within("a response");
                await response.Content.ReadAsByteArrayAsync().Within("the body");
            });
            Assert.Equal(FastCgiError.ResponseEnded, FastCgiException.Find(exception)!.Error);
        }
    }

    [Fact]
    public async Task More_bytes_than_declared_are_dropped_as_web_servers_do()
    {
        using var application = new ScriptedApplication();
        using var response = await application.AnswerAsync("Content-Length: 4\r\n\r\nHello");
        Assert.Equal("Hell", await response.Content.ReadAsStringAsync().Within("the body"));
    }

    private static byte[] Records(int id) => new RecordBuilder()
        .Stdout(Text[..20], id)
        .Stderr("a warning", id)
        .Stdout(Text[20..90], id)
        .Record(6, id, Encoding.ASCII.GetBytes(Text[90..]), 7)
        .Record(6, id, [])
        .End(id)
        .ToArray();
}
