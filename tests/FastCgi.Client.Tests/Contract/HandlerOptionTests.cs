namespace FastCgi.Client.Tests.Contract;

/// <summary>An option refuses a wrong value where it is set, and a handler keeps those that it was made with.</summary>
public sealed class HandlerOptionTests
{
    private static readonly Dictionary<string, Action<FastCgiHandlerOptions, TimeSpan>> s_durations = new()
    {
        ["ConnectTimeout"] = static (options, value) => options.ConnectTimeout = value,
        ["ResponseHeadersTimeout"] = static (options, value) => options.ResponseHeadersTimeout = value,
        ["ResponseIdleTimeout"] = static (options, value) => options.ResponseIdleTimeout = value,
        ["PooledConnectionIdleTimeout"] = static (options, value) => options.PooledConnectionIdleTimeout = value,
        ["PooledConnectionLifetime"] = static (options, value) => options.PooledConnectionLifetime = value,
    };

    public static TheoryData<string> Durations => [.. s_durations.Keys];

    [Theory, MemberData(nameof(Durations))]
    public void A_duration_is_above_zero_or_none(string name)
    {
        var options = new FastCgiHandlerOptions();
        foreach (TimeSpan wrong in (TimeSpan[])[TimeSpan.Zero, TimeSpan.FromMilliseconds(-2), TimeSpan.MinValue])
        {
            var exception = Assert.Throws<ArgumentOutOfRangeException>(() => s_durations[name](options, wrong));
            Assert.Equal("value", exception.ParamName);
            Assert.Contains(name, exception.Message, StringComparison.Ordinal);
        }

        foreach (TimeSpan right in (TimeSpan[])[Timeout.InfiniteTimeSpan, TimeSpan.FromTicks(1), TimeSpan.MaxValue])
        {
            s_durations[name](options, right);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_number_is_above_zero(int wrong)
    {
        var options = new FastCgiHandlerOptions();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxConnections = wrong);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxResponseHeadersLength = wrong);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxResponseHeadersLength = 1024 * 1024 + 1);
        options.MaxConnections = int.MaxValue;
        options.MaxResponseHeadersLength = 1024 * 1024;
    }

    [Fact]
    public void Defaults_are_those_of_the_documentation()
    {
        var options = new FastCgiHandlerOptions();
        Assert.Equal(256, options.MaxConnections);
        Assert.Equal(64, options.MaxResponseHeadersLength);
        Assert.Equal(TimeSpan.FromSeconds(15), options.ConnectTimeout);
        Assert.Equal(TimeSpan.FromSeconds(100), options.ResponseIdleTimeout);
        Assert.Equal(TimeSpan.FromMinutes(1), options.PooledConnectionIdleTimeout);
        Assert.Equal(Timeout.InfiniteTimeSpan, options.PooledConnectionLifetime);
        Assert.Equal(Timeout.InfiniteTimeSpan, options.ResponseHeadersTimeout);
        Assert.Null(options.ConnectCallback);
        Assert.True(options.FollowLocalRedirects);
        Assert.False(options.MultiplexRequests);
    }

    [Fact]
    public async Task Options_that_change_later_are_not_those_of_the_handler()
    {
        FastCgiHandlerOptions? kept = null;
        using var application = new ScriptedApplication(options => kept = options);
        kept!.Parameters["LATER"] = "1";
        kept.DocumentRoot = "/srv";
        kept.ConnectCallback = static (_, _) => throw new InvalidOperationException("later");
        var received = await application.ReceiveAsync();
        Assert.DoesNotContain("LATER", received.Parameters.Keys);
        Assert.DoesNotContain("SCRIPT_FILENAME", received.Parameters.Keys);
    }
}
