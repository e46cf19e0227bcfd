namespace FastCgi.FunctionalTests.Limits;

/// <summary>MaxResponseBufferSize, by how much an application can write to a peer that reads nothing.</summary>
public sealed class ResponseBufferLimitTests : FunctionalTest
{
    // More than the buffers of a socket take.
    private const int Much = 20_000_000;
    private const int Whole = 2 * Much;

    private readonly SyncPoint _told = "the first write that waits, or the last one";
    private long _unwaited;

    [Theory, ClassData(typeof(Transports))]
    public async Task A_flush_waits_once_more_is_unsent(ServerTransport transport) =>
        Assert.InRange(await WriteUnreadAsync(transport, Much), Much, Whole - 1);

    [Theory, ClassData(typeof(Transports))]
    public async Task With_none_allowed_it_waits_as_soon_as_the_socket_is_full(ServerTransport transport) =>
        Assert.InRange(await WriteUnreadAsync(transport, 0), 1, Much - 1);

    [Theory, ClassData(typeof(Transports))]
    public async Task Without_a_limit_it_never_waits(ServerTransport transport) =>
        Assert.Equal(Whole, await WriteUnreadAsync(transport, null));

    /// <returns>How many bytes the application wrote before a flush had to wait; then the answer came whole.</returns>
    private async Task<long> WriteUnreadAsync(ServerTransport transport, long? limit)
    {
        var peer = await StartAndConnectAsync(
            transport, WriteAsync, options => options.Limits.MaxResponseBufferSize = limit);
        await peer.SendRequestAsync();
        await _told.WaitAsync();

        Assert.Equal(Whole, (await peer.ExpectResponseAsync()).Body.Length);
        return _unwaited;
    }

    private async Task WriteAsync(HttpContext context)
    {
        var block = new byte[20_000];
        for (var written = 0; written < Whole; written += block.Length)
        {
            var write = context.Response.Body.WriteAsync(block);
            if (write.IsCompleted && !_told.IsReached)
            {
                _unwaited += block.Length;
            }
            else
            {
                _told.Reach();
            }

            await write;
        }

        _told.Reach();
    }
}
