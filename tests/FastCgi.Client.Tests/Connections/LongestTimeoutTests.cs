namespace FastCgi.Client.Tests.Connections;

/// <summary>No timeout, and timeouts that are longer than a timer can count.</summary>
public sealed class LongestTimeoutTests
{
    private static readonly TimeSpan s_longTime = TimeSpan.FromDays(100);

    public static TheoryData<TimeSpan> Limits => [Timeout.InfiniteTimeSpan, s_longTime, TimeSpan.MaxValue];

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_request_is_served(TimeSpan limit)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.ConnectTimeout = limit;
            options.ResponseHeadersTimeout = limit;
            options.PooledConnectionIdleTimeout = limit;
            options.PooledConnectionLifetime = limit;
        });
        await application.ServeTwiceAsync();
        Assert.Equal(1, application.Opened);
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task An_application_may_take_its_time_to_say_whether_it_can_multiplex(TimeSpan limit)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MultiplexRequests = true;
            options.ConnectTimeout = limit;
        });
        var (connection, sending) = await application.OpenAsync(isShared: true);
        await connection.ServeAsync(sending, "body");
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_whole_response_may_take_its_time_to_end(TimeSpan limit)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            options.ResponseIdleTimeout = limit;
        });
        var (connection, response) = await application.BeginResponseAsync("Content-Length: 0\n\n");
        response.Dispose();
        application.Clock.Advance(s_longTime - TimeSpan.FromDays(1));
        await connection.SendAsync(new RecordBuilder().End());
        await connection.ServeAsync(application.SendAsync(), "body");
    }
}
