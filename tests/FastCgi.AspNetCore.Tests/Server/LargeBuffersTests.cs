namespace FastCgi.AspNetCore.Tests.Server;

public sealed class LargeBuffersTests
{
    private readonly LargeBuffers _buffers = new();

    [Fact]
    public void A_buffer_that_came_home_is_the_next_one()
    {
        byte[] first = _buffers.Rent();
        byte[] second = _buffers.Rent();
        Assert.NotSame(first, second);
        Assert.Equal(LargeBuffers.Size, first.Length);
        _buffers.Return(first);
        _buffers.Return(second);

        // In which order depends on the processors that this test ran on.
        Assert.Equal(new HashSet<byte[]> { first, second }, [_buffers.Rent(), _buffers.Rent()]);
        Assert.Equal(0, _buffers.Free);
    }

    [Fact]
    public async Task What_other_processors_gave_back_is_taken_before_a_new_one_is_made()
    {
        byte[][] rented = RentSeveral(20);
        await Task.WhenAll(rented.Select(buffer => Task.Run(() => _buffers.Return(buffer))));
        Assert.Equal(new HashSet<byte[]>(rented), new HashSet<byte[]>(RentSeveral(20)));
    }

    /// <summary>The collector takes them for the oldest generation, which they do not grow.</summary>
    [Fact]
    public void They_are_in_no_young_generation() =>
        Assert.Equal(GC.MaxGeneration, GC.GetGeneration(_buffers.Rent()));

    [Fact]
    public void What_nobody_needed_for_a_whole_period_goes()
    {
        ReturnAll(RentSeveral(40));
        Assert.Equal(40, _buffers.Free);
        PassPeriod();
        // They were in use in this period.
        Assert.Equal(40, _buffers.Free);

        ReturnAll(RentSeveral(10));
        PassPeriod();
        Assert.Equal(10, _buffers.Free);
        PassPeriod();
        Assert.Equal(0, _buffers.Free);
        Assert.Equal(LargeBuffers.Size, _buffers.Rent().Length);
    }

    [Fact]
    public void The_pool_gives_large_ones_for_what_no_half_holds()
    {
        var pool = BufferPool.Shared;
        byte[] large = pool.Rent((LargeBuffers.Size / 2) + 1);
        byte[] small = pool.Rent(LargeBuffers.Size / 2);
        byte[] huge = pool.Rent(LargeBuffers.Size + 1);
        Assert.Equal(LargeBuffers.Size, large.Length);
        Assert.InRange(small.Length, LargeBuffers.Size / 2, LargeBuffers.Size - 1);
        Assert.InRange(huge.Length, LargeBuffers.Size + 1, int.MaxValue);
        pool.Return(large);
        pool.Return(small);
        pool.Return(huge);
    }

    private byte[][] RentSeveral(int count) => [.. Enumerable.Range(0, count).Select(_ => _buffers.Rent())];

    private void ReturnAll(byte[][] rented) => Array.ForEach(rented, _buffers.Return);

    /// <summary>The shared pool would keep it for this thread, and 64 MiB in all, for minutes.</summary>
    [Fact]
    public void A_very_large_buffer_is_not_kept_by_the_pool()
    {
        var first = BufferPool.Shared.Rent(20_000_000);
        BufferPool.Shared.Return(first);
        Assert.NotSame(first, BufferPool.Shared.Rent(20_000_000));
    }

    private void PassPeriod()
    {
        for (int call = 0; call < LargeBuffers.TrimPeriod; call++)
        {
            _buffers.Trim();
        }
    }
}
