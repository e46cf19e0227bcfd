namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>How many descriptors connections leave to the files and threads of the application.</summary>
public class DescriptorReserveTests
{
    [Theory]
    [InlineData(64, 60, 3)]
    [InlineData(220, 196, 23)]
    [InlineData(256, 196, 46)]
    [InlineData(300, 196, 68)]
    [InlineData(400, 196, 118)]
    [InlineData(1024, 196, 430)]
    [InlineData(4096, 196, 1024)]
    [InlineData(524_288, 196, 1024)]
    public void Half_of_those_that_are_free_at_the_start_are_kept(int limit, int used, int kept)
    {
        var reserve = new DescriptorReserve(limit, used);

        Assert.Equal(kept, reserve.Count);
        Assert.False(reserve.Contains(used));
        Assert.False(reserve.Contains(limit - kept - 1));
        Assert.True(reserve.Contains(limit - kept));
    }

    [Theory]
    [InlineData(200, 200)]
    [InlineData(200, 300)]
    public void Without_a_free_one_nothing_is_kept(int limit, int used) =>
        Assert.Equal(0, new DescriptorReserve(limit, used).Count);

    [Fact]
    public void The_process_tells_its_limit_and_what_it_uses()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no such limit.");
        var reserve = DescriptorReserve.OfProcess();

        Assert.NotNull(reserve);
        Assert.False(reserve.IsNext());
        Assert.False(DescriptorReserve.IsSystemExhausted());
        Assert.True(new DescriptorReserve(1, 0).IsNext());
    }
}
