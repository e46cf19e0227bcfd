namespace FastCgi.AspNetCore.Tests.Connections;

public class StopPolicyTests
{
    [Theory]
    [InlineData(false, true, true)] // opened, and about to bring its first request
    [InlineData(true, false, true)] // in the middle of a record
    [InlineData(true, true, false)]
    public void A_stop_waits_for_what_is_on_its_way(bool hasBegun, bool isBetweenRecords, bool expects)
    {
        var policy = default(StopPolicy);
        policy.Begin();
        Assert.Equal(expects, policy.ExpectsRequest(hasBegun, isBetweenRecords));
    }

    [Theory]
    [InlineData(true, true, true)]
    [InlineData(true, false, false)] // another web server sees the close
    [InlineData(false, true, false)] // nginx does not keep it
    public void A_connection_that_nginx_keeps_is_not_closed_under_it(bool keeps, bool isNginx, bool expects)
    {
        var policy = default(StopPolicy);
        policy.LearnPeer(keeps, isNginx);
        policy.Begin();
        Assert.Equal(expects, policy.IsKeptByNginx);
        Assert.Equal(expects, policy.ExpectsRequest(hasBegunRequest: true, isBetweenRecords: true));
    }

    [Theory]
    [InlineData(true, true, 0, true)]
    [InlineData(true, true, 1, false)] // another response can say it
    [InlineData(true, false, 0, false)]
    [InlineData(false, true, 0, false)]
    public void The_last_response_tells_nginx_so(bool keeps, bool isNginx, int running, bool isLast)
    {
        var policy = default(StopPolicy);
        policy.LearnPeer(keepsConnection: true, isNginx);
        Assert.Equal(isLast, policy.IsLast(keeps, running));
    }

    [Fact]
    public void The_first_request_tells_who_sends_here_unless_another_is_mixed_with_it()
    {
        var policy = default(StopPolicy);
        Assert.False(policy.KnowsPeer);
        policy.LearnPeer(keepsConnection: true, isNginx: true);
        Assert.True(policy.KnowsPeer);
        Assert.True(policy.IsLast(keepsConnection: true, running: 0));
        policy.LearnPeer(keepsConnection: true, isNginx: false);
        Assert.False(policy.IsLast(keepsConnection: true, running: 0));
    }

    [Fact]
    public void Nothing_is_expected_for_longer_than_three_seconds_of_a_stop()
    {
        var policy = default(StopPolicy);
        Assert.False(policy.HasExpectedInVain(TimeSpan.FromDays(1)));
        policy.Begin();
        Assert.False(policy.HasExpectedInVain(TimeSpan.FromSeconds(3)));
        Assert.True(policy.HasExpectedInVain(TimeSpan.FromSeconds(3.001)));
    }
}
