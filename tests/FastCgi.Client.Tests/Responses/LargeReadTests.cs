namespace FastCgi.Client.Tests.Responses;

/// <summary>A large read gets its content without a copy. It is the same as through the buffer.</summary>
public sealed class LargeReadTests : ClientTest
{
    private const int StdoutType = 6;
    private const int Large = 64 * 1024;

    private static readonly byte[] s_body = MakeBody();

    [Theory]
    [InlineData(Large, Large)]
    [InlineData(Large, 7)]
    [InlineData(16 * 1024, 1000)]
    [InlineData(100, Large)]
    public async Task Reads_of_any_size_get_the_same_body(int first, int second)
    {
        var errors = new List<byte>();
        using var application = new ScriptedApplication(
            options => options.StandardError = (_, bytes) => errors.AddRange(bytes.Span), 2 * Large);
        var (connection, response) = await application.BeginResponseAsync($"Content-Length: {s_body.Length}\n\n");
        Task answering = SendBodyAsync(connection);

        Stream stream = await response.Content.ReadAsStreamAsync();
        List<byte> read = [];
        while (true)
        {
            byte[] buffer = new byte[read.Count % 2 == 0 ? first : second];
            int count = await stream.ReadAsync(buffer).AsTask().Within("bytes of the body");
            if (count == 0)
            {
                break;
            }

            read.AddRange(buffer.AsSpan(0, count));
        }

        await answering.Within("the end of the answer");
        Assert.True(s_body.AsSpan().SequenceEqual([.. read]), "the body has other bytes");
        Assert.Equal("warning"u8.ToArray(), errors);

        // The connection is free for the next request.
        await connection.ServeAsync(application.SendAsync());
        Assert.Equal(1, application.Opened);
    }

    [Fact]
    public async Task Content_beyond_the_declared_length_is_dropped()
    {
        var (connection, response) = await Application.BeginResponseAsync("Content-Length: 3\n\n");
        await connection.SendAsync(
            new RecordBuilder().Stdout("ab").Stdout("cde").Stdout("f").Record(StdoutType, 1, []).End());
        Assert.Equal("abc"u8.ToArray(), await ReadAsync(response));
    }

    [Fact]
    public async Task Bytes_behind_the_end_spoil_the_connection()
    {
        var (connection, response) = await Application.BeginResponseAsync("A: b\n\n");
        await connection.SendAsync(new RecordBuilder().Stdout("body").End().Stdout("more"));
        Assert.Equal("body"u8.ToArray(), await ReadAsync(response));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_response_that_breaks_off_is_an_error()
    {
        var (connection, response) = await Application.BeginResponseAsync("A: b\n\n");
        await connection.SendAsync(new RecordBuilder().Stdout("body"));
        connection.Close();
        var exception = await Assert.ThrowsAnyAsync<HttpIOException>(() => ReadAsync(response));
        Assert.Equal(FastCgiError.ResponseEnded, FastCgiException.Find(exception)!.Error);
    }

    /// <summary>The whole body, in large reads.</summary>
    private static async Task<byte[]> ReadAsync(HttpResponseMessage response)
    {
        using var body = new MemoryStream();
        await (await response.Content.ReadAsStreamAsync()).CopyToAsync(body, Large).Within("the body");
        return body.ToArray();
    }

    /// <summary>Records of many lengths with padding, a warning among them, cut at odd places.</summary>
    private static async Task SendBodyAsync(ApplicationConnection connection)
    {
        var records = new RecordBuilder();
        int taken = 0;
        for (int i = 0; taken < s_body.Length; i++)
        {
            int length = Math.Min(i % 3 == 0 ? 65_535 : 1 + (i * 7919 % 9000), s_body.Length - taken);
            records.Record(StdoutType, 1, s_body.AsSpan(taken, length), i % 8);
            taken += length;
            if (i == 4)
            {
                records.Stderr("warning");
            }
        }

        ReadOnlyMemory<byte> bytes = records.Record(StdoutType, 1, []).End().ToArray();
        for (int i = 0; !bytes.IsEmpty; i++)
        {
            int length = Math.Min(1 + (i * 6151 % 50_000), bytes.Length);
            await connection.SendAsync(bytes[..length]);
            bytes = bytes[length..];
        }
    }

    private static byte[] MakeBody()
    {
        byte[] body = new byte[600_000];
        new Random(1).NextBytes(body);
        return body;
    }
}
