namespace FastCgi.AspNetCore.Tests.Connections;

public class RequestPoolTests
{
    private readonly RequestPool _pool = new(new ScriptedServer().Context, new PageRunner());

    /// <summary>Each keeps the strings of its last request, which may be long.</summary>
    [Fact]
    public void What_no_request_needed_for_a_whole_period_goes()
    {
        RentAndReturn(200);
        Assert.Equal(199, _pool.Free);
        PassPeriod();

        // They were in use in this period. The thread keeps none any more.
        Assert.Equal(200, _pool.Free);
        RentAndReturn(50);
        PassPeriod();
        Assert.Equal(50, _pool.Free);
        PassPeriod();
        Assert.Equal(0, _pool.Free);
    }

    [Fact]
    public void Not_all_of_a_peak_are_kept()
    {
        RentAndReturn(1_000);

        Assert.Equal(256, _pool.Free);
    }

    /// <summary>A process may outlive its servers, and a server refers to the whole application.</summary>
    [Fact]
    public void A_thread_keeps_nothing_of_a_pool_that_is_gone()
    {
        var pool = UseAnother();
        GC.Collect();
        Assert.False(pool.TryGetTarget(out _));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference<RequestPool> UseAnother()
    {
        var pool = new RequestPool(new ScriptedServer().Context, new PageRunner());
        pool.Return(pool.Rent());
        return new WeakReference<RequestPool>(pool);
    }

    /// <summary>The thread keeps the first that comes back.</summary>
    private void RentAndReturn(int count)
    {
        var rented = Enumerable.Range(0, count).Select(_ => _pool.Rent()).ToList();
        rented.ForEach(_pool.Return);
    }

    private void PassPeriod()
    {
        for (var tick = 0; tick < LargeBuffers.TrimPeriod; tick++)
        {
            _pool.Trim();
        }
    }
}
