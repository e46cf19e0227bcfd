namespace FastCgi.Client.Tests.Harness;

/// <summary>The application's end of a connection. One caller at a time; every await has a deadline.</summary>
internal sealed class ApplicationConnection(DuplexStream stream)
{
    private readonly RecordCutter _arrived = new();
    private int _id = 1;

    public DuplexStream Stream { get; } = stream;

    /// <summary>A whole request, up to the end of its body.</summary>
    public Task<ReceivedRequest> ExpectRequestAsync() => ExpectRequestAsync(static request => request.IsWhole);

    /// <summary>A request up to the end of its parameters.</summary>
    public Task<ReceivedRequest> ExpectHeadAsync() => ExpectRequestAsync(static request => request.HasParameters);

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
        WireRecord record = await ExpectAsync(_arrived.Take, "a record was");
        Assert.Equal(1, record.Version);
        return record;
    }

    private async Task<ReceivedRequest> ExpectRequestAsync(Predicate<ReceivedRequest> isEnough)
    {
        var request = new ReceivedRequest();
        while (!isEnough(request))
        {
            request.Take(await ExpectRecordAsync());
        }

        _id = request.Id;
        return request;
    }

    public Task<byte[]> ExpectBytesAsync(int count) => ExpectAsync(() => _arrived.Take(count), $"{count} bytes were");

    public async Task ExpectClosedAsync()
    {
        bool isMore = _arrived.Rest > 0 || await ReceiveAsync();
        Assert.False(isMore, $"Instead of an end came {Encoding.Latin1.GetString(_arrived.Take(_arrived.Rest)!)}");
    }

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

    private async Task<T> ExpectAsync<T>(Func<T?> take, string awaited)
        where T : class
    {
        T? taken;
        while ((taken = take()) is null)
        {
            Assert.True(await ReceiveAsync(), $"The client closed the connection, and {awaited} awaited.");
        }

        return taken;
    }

    private async Task<bool> ReceiveAsync()
    {
        byte[] buffer = new byte[64 * 1024];
        int received = await Stream.ReadAsync(buffer).AsTask().Within("bytes of the client");
        _arrived.Add(buffer.AsSpan(0, received));
        return received > 0;
    }
}
