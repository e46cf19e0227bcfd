namespace FastCgi.AspNetCore.Tests.Connections;

public class ConnectionLifeTests
{
    private static readonly ConnectionPhase[] s_phases = Enum.GetValues<ConnectionPhase>();

    private readonly ScriptedServer _server = new();

    public ConnectionLifeTests() => _server.Options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);

    public static TheoryData<string, string> Pairs =>
        new(from start in s_phases from end in s_phases select (start.ToString(), end.ToString()));

    [Theory, MemberData(nameof(Pairs))]
    public void A_phase_is_followed_by_the_next_or_by_the_close(string start, string end)
    {
        var (from, to) = (Enum.Parse<ConnectionPhase>(start), Enum.Parse<ConnectionPhase>(end));
        bool isAllowed = to == from + 1 || (to == ConnectionPhase.Closed && from < to);
        Assert.Equal(isAllowed, ConnectionLife.Allows(from, to));

        ConnectionLife life = At(from);
        if (to > from && !isAllowed)
        {
            Assert.Throws<InvalidOperationException>(() => life.TryAdvance(to));
            Assert.Equal(from, life.Phase);
        }
        else
        {
            Assert.Equal(isAllowed, life.TryAdvance(to));
            Assert.Equal(isAllowed ? to : from, life.Phase);
        }
    }

    [Fact]
    public void Only_an_open_connection_takes_requests_and_in_a_stop_one_at_a_time()
    {
        Assert.All(s_phases, phase => Assert.Equal(phase == ConnectionPhase.Open, At(phase).TakesRequest(running: 1)));
        ConnectionLife life = At(ConnectionPhase.Open);
        life.Stop();
        Assert.True(life.TakesRequest(running: 0));
        Assert.False(life.TakesRequest(running: 1));
    }

    [Fact]
    public void Close_takes_no_step_back()
    {
        foreach (ConnectionPhase phase in s_phases)
        {
            ConnectionLife life = At(phase);
            life.Close(lingers: true);
            Assert.True(life.Lingers);
            Assert.Equal(phase == ConnectionPhase.Open ? ConnectionPhase.Closing : phase, life.Phase);
        }
    }

    [Fact]
    public void An_open_connection_times_out_when_idle_for_too_long()
    {
        ConnectionLife life = At(ConnectionPhase.Open);
        Pass(10);
        Assert.Null(life.TimedOut());
        Pass(1);
        Assert.Equal(ConnectionEndReason.KeepAliveTimeout, life.TimedOut());
        life.OnRequestEnded();
        Assert.Null(life.TimedOut());
    }

    [Fact]
    public void A_peer_has_two_seconds_to_close_after_us()
    {
        ConnectionLife life = At(ConnectionPhase.Lingering);
        Pass(2);
        Assert.Null(life.TimedOut());
        Pass(1);
        Assert.Equal(ConnectionEndReason.RequestsEnded, life.TimedOut());
    }

    [Theory, InlineData("Closing"), InlineData("Flushing"), InlineData("Closed")]
    public void Nothing_else_times_out(string phase)
    {
        ConnectionLife life = At(Enum.Parse<ConnectionPhase>(phase));
        Pass(1000);
        Assert.Null(life.TimedOut());
    }

    [Fact]
    public void What_a_stop_expects_has_a_limit_until_the_connection_flushes()
    {
        foreach (ConnectionPhase phase in s_phases)
        {
            ConnectionLife life = At(phase);
            life.Stop();
            Assert.False(life.HasExpectedInVain);
            Pass(4);
            Assert.Equal(phase <= ConnectionPhase.Closing, life.HasExpectedInVain);
        }
    }

    [Fact]
    public void Nginx_is_asked_to_close_once_until_its_next_request()
    {
        ConnectionLife life = At(ConnectionPhase.Open);
        Assert.False(life.TryAskToClose());
        life.Policy.LearnPeer(keepsConnection: true, isNginx: true);
        Assert.True(life.TryAskToClose());
        Assert.False(life.TryAskToClose());
        life.OnRequestEnded();
        Assert.True(life.TryAskToClose());
    }

    [Fact]
    public void Nginx_has_three_seconds_to_close_what_was_idle_for_too_long()
    {
        ConnectionLife life = At(ConnectionPhase.Open);
        life.Policy.LearnPeer(keepsConnection: true, isNginx: true);
        Pass(11);
        Assert.Equal(ConnectionEndReason.KeepAliveTimeout, life.TimedOut());
        Assert.True(life.TryAskToClose());
        Assert.Null(life.TimedOut());
        Pass(3);
        Assert.Null(life.TimedOut());
        Pass(1);
        Assert.Equal(ConnectionEndReason.KeepAliveTimeout, life.TimedOut());
    }

    private ConnectionLife At(ConnectionPhase phase)
    {
        var life = new ConnectionLife(_server.Context);
        for (ConnectionPhase next = ConnectionPhase.Closing; next <= phase; next++)
        {
            Assert.True(life.TryAdvance(next));
        }

        return life;
    }

    private void Pass(int seconds)
    {
        _server.Pass(seconds);
        _server.Context.Clock.Tick();
    }
}
