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

        // They were in use in this period.
        Assert.Equal(199, _pool.Free);
        RentAndReturn(50);
        PassPeriod();
        Assert.Equal(49, _pool.Free);
        PassPeriod();
        Assert.Equal(0, _pool.Free);
    }

    [Fact]
    public void Not_all_of_a_peak_are_kept()
    {
        RentAndReturn(1_000);

        Assert.Equal(256, _pool.Free);
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
