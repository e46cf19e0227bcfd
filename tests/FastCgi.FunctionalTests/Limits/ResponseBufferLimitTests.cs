namespace FastCgi.FunctionalTests.Limits;

/// <summary>MaxResponseBufferSize, by how much an application can write to a peer that reads nothing.</summary>
public sealed class ResponseBufferLimitTests : FunctionalTest
{
    // More than the buffers of a socket take.
    private const int Much = 20_000_000;
    private const int Whole = 2 * Much;

    private readonly SyncPoint _told = "the first write that waits, or the last one";
    private long _unwaited;

    /// <summary>With none allowed, a flush waits as soon as the socket is full; without a limit, never.</summary>
    public static MatrixTheoryData<ServerTransport, (long? Limit, long Least, long Most)> Limits { get; } =
        new(
            [.. Transports.All, ServerTransport.OtherOnUnix],
            [(Much, Much, Whole - 1), (0, 1, Much - 1), (null, Whole, Whole)]);

    [Theory, MemberData(nameof(Limits))]
    public async Task A_flush_waits_once_more_is_unsent(
        ServerTransport transport, (long? Limit, long Least, long Most) expected)
    {
        var peer = await StartAndConnectAsync(
            transport, WriteAsync, options => options.Limits.MaxResponseBufferSize = expected.Limit);
        await peer.SendRequestAsync();
        await _told.WaitAsync();

        Assert.Equal(Whole, (await peer.ExpectResponseAsync()).Body.Length);
        Assert.InRange(_unwaited, expected.Least, expected.Most);
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
