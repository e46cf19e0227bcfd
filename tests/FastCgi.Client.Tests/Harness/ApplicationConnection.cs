namespace FastCgi.Client.Tests.Harness;

/// <summary>The application's end of a connection. One caller at a time; every await has a deadline.</summary>
internal sealed class ApplicationConnection(DuplexStream stream)
{
    private readonly List<byte> _arrived = [];
    private int _id = 1;

    public DuplexStream Stream { get; } = stream;

    /// <summary>A whole request, up to the end of its body.</summary>
    public async Task<ReceivedRequest> ExpectRequestAsync()
    {
        var request = new ReceivedRequest();
        while (!request.IsWhole)
        {
            request.Take(await ExpectRecordAsync());
        }

        _id = request.Id;
        return request;
    }

    /// <summary>A request up to the end of its parameters.</summary>
    public async Task<ReceivedRequest> ExpectHeadAsync()
    {
        var request = new ReceivedRequest();
        while (!request.HasParameters)
        {
            request.Take(await ExpectRecordAsync());
        }

        _id = request.Id;
        return request;
    }

    /// <summary>Answers the question of FCGI_GET_VALUES, which is asked twice where the answer is yes.</summary>
    public async Task AllowMultiplexingAsync(bool isAllowed = true, int? most = null)
    {
        await AnswerQuestionAsync(isAllowed, most);
        if (isAllowed)
        {
            await AnswerQuestionAsync(isAllowed, most);
        }
    }

    public async Task AnswerQuestionAsync(bool isAllowed, int? most = null)
    {
        Assert.Equal((int)RecordType.GetValues, (await ExpectRecordAsync()).Type);
        await SendAsync(new RecordBuilder().Record(
            (int)RecordType.GetValuesResult,
            0,
            [
                .. RecordBuilder.Pair("FCGI_MPXS_CONNS", isAllowed ? "1" : "0"),
                .. most is null ? [] : RecordBuilder.Pair("FCGI_MAX_REQS", $"{most}"),
            ]));
    }

    public async Task<WireRecord> ExpectRecordAsync()
    {
        byte[] header = await ExpectBytesAsync(FastCgiConstants.HeaderSize);
        Assert.True(RecordHeader.TryRead(header, out RecordHeader parsed));
        Assert.Equal(1, parsed.Version);
        byte[] content = await ExpectBytesAsync(parsed.ContentLength);
        await ExpectBytesAsync(parsed.PaddingLength);
        return new WireRecord(1, (int)parsed.Type, parsed.RequestId, content, parsed.PaddingLength);
    }

    public async Task<byte[]> ExpectBytesAsync(int count)
    {
        while (_arrived.Count < count)
        {
            Assert.True(await ReceiveAsync(), $"The client closed the connection, and {count} bytes were awaited.");
        }

        byte[] taken = [.. _arrived.Take(count)];
        _arrived.RemoveRange(0, count);
        return taken;
    }

    public async Task ExpectClosedAsync() => Assert.False(
        _arrived.Count > 0 || await ReceiveAsync(), $"Instead of an end came {Encoding.Latin1.GetString([.. _arrived])}");

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) =>
        await Stream.WriteAsync(bytes).AsTask().Within("room to send in");

    public Task SendAsync(RecordBuilder records) => SendAsync(records.ToArray());

    /// <summary>A whole response, to the last request unless another one is named.</summary>
    public Task RespondAsync(string response, int? id = null) => SendAsync(Response.Of(response, id ?? _id));

    /// <summary>Answers with a text, which the client then has.</summary>
    public async Task AnswerAsync(Task<HttpResponseMessage> sending, string text = "", int? id = null)
    {
        await RespondAsync($"A: b\n\n{text}", id);
        using var response = await sending.Within("a response");
        Assert.Equal(text, await response.Content.ReadAsStringAsync().Within("the body"));
    }

    /// <summary>The same for the next request that comes.</summary>
    public async Task ServeAsync(Task<HttpResponseMessage> sending, string text = "", int? id = null)
    {
        await ExpectRequestAsync();
        await AnswerAsync(sending, text, id);
    }

    /// <summary>Closes both directions.</summary>
    public void Close() => Stream.Dispose();

    private async Task<bool> ReceiveAsync()
    {
        byte[] buffer = new byte[64 * 1024];
        int received = await Stream.ReadAsync(buffer).AsTask().Within("bytes of the client");
        _arrived.AddRange(buffer.AsSpan(0, received));
        return received > 0;
    }
}
