namespace FastCgi.AspNetCore.Tests.Server;

public class BufferPoolTests
{
    /// <summary>The shared pool would keep it for this thread, and 64 MiB in all, for minutes.</summary>
    [Fact]
    public void A_very_large_buffer_is_not_kept()
    {
        var first = BufferPool.Shared.Rent(20_000_000);
        BufferPool.Shared.Return(first);

        Assert.NotSame(first, BufferPool.Shared.Rent(20_000_000));
    }
}
