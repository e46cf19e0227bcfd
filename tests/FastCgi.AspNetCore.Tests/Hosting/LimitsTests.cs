using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Hosting;

public class LimitsTests
{
    private static readonly FastCgiServerLimits s_default = new();

    public static TheoryData<string> Names => [.. typeof(FastCgiServerLimits).GetProperties()
        .Where(p => p.PropertyType != typeof(MinDataRate)).Select(p => p.Name)];

    /// <summary>Why the others differ is in their documentation.</summary>
    [Fact]
    public void Defaults_are_those_of_Kestrel_where_it_has_the_limit()
    {
        var kestrel = new KestrelServerLimits();
        var shared = typeof(FastCgiServerLimits).GetProperties()
            .Select(ours => (Ours: ours, Theirs: typeof(KestrelServerLimits).GetProperty(ours.Name)))
            .Where(pair => pair.Theirs is not null && pair.Ours.Name
                is not (nameof(FastCgiServerLimits.KeepAliveTimeout) or nameof(FastCgiServerLimits.MinResponseDataRate)))
            .ToList();

        Assert.Equal(10, shared.Count);
        Assert.All(shared, pair => Assert.Equal(
            Plain(pair.Theirs!.GetValue(kestrel)), Plain(pair.Ours.GetValue(s_default))));

        static object? Plain(object? limit) =>
            limit is MinDataRate rate ? (rate.BytesPerSecond, rate.GracePeriod) : limit;
    }

    [Fact]
    public void Slow_clients_and_idle_connections_are_left_to_the_web_server()
    {
        Assert.Null(s_default.MinResponseDataRate);
        Assert.Equal(Timeout.InfiniteTimeSpan, s_default.KeepAliveTimeout);
    }

    [Theory, MemberData(nameof(Names))]
    public void A_limit_takes_its_default_and_refuses_nonsense(string name)
    {
        var property = typeof(FastCgiServerLimits).GetProperty(name)!;
        var limits = new FastCgiServerLimits();
        property.SetValue(limits, property.GetValue(s_default));
        Assert.Equal(property.GetValue(s_default), property.GetValue(limits));

        object nonsense = property.PropertyType == typeof(TimeSpan) ? TimeSpan.Zero
            : property.PropertyType == typeof(int) ? (object)0
            : -1L;
        var thrown = Assert.Throws<TargetInvocationException>(() => property.SetValue(limits, nonsense)).InnerException;
        var refused = Assert.IsType<ArgumentOutOfRangeException>(thrown);
        Assert.Equal((name, nonsense), (refused.ParamName, refused.ActualValue));
        Assert.Equal(property.GetValue(s_default), property.GetValue(limits));
    }

    [Fact]
    public void Zero_means_something_only_where_it_is_documented()
    {
        var limits = new FastCgiServerLimits { MaxRequestBodySize = 0, MaxResponseBufferSize = 0 };

        Assert.Equal((0, 0), (limits.MaxRequestBodySize, limits.MaxResponseBufferSize));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxRequestBufferSize = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxConcurrentConnections = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxConcurrentRequests = 0);
    }

    [Fact]
    public void The_number_of_params_follows_the_number_of_headers_until_it_is_set()
    {
        var limits = new FastCgiServerLimits();
        Assert.Equal(300, limits.MaxRequestParameterCount);

        limits.MaxRequestHeaderCount = 1000;
        Assert.Equal(1200, limits.MaxRequestParameterCount);
        limits.MaxRequestHeaderCount = int.MaxValue;
        Assert.Equal(int.MaxValue, limits.MaxRequestParameterCount);

        limits.MaxRequestParameterCount = 5;
        limits.MaxRequestHeaderCount = 100;
        Assert.Equal(5, limits.MaxRequestParameterCount);
    }

    [Fact]
    public void Null_is_no_limit()
    {
        var limits = new FastCgiServerLimits
        {
            MaxRequestBodySize = null,
            MaxRequestBufferSize = null,
            MaxResponseBufferSize = null,
            MaxConcurrentConnections = null,
            MaxConcurrentRequests = null,
            RequestHeadersTimeout = Timeout.InfiniteTimeSpan,
        };

        Assert.Null(limits.MaxRequestBodySize);
        Assert.Equal(Timeout.InfiniteTimeSpan, limits.RequestHeadersTimeout);
    }
}
