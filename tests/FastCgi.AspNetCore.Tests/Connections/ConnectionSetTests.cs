namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>What is counted of the connections of a server, and which of them it takes.</summary>
public sealed class ConnectionSetTests : IDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly TaskCompletionSource _goOn = new();

    public void Dispose()
    {
        _goOn.TrySetResult();
        _server.Dispose();
    }

    /// <summary>The heartbeat counts them, and waits for no connection.</summary>
    [Fact]
    public async Task Requests_are_counted_while_the_gate_of_a_connection_is_taken()
    {
        var hang = new Latch();
        Task answer = _server.Accept().HangInSend(hang);
        Task<long> count = Task.Run(() => _server.Connections.BegunRequests);
        Assert.Equal(1, await count.Within("the count"));
        hang.Set();
        await answer.Within("the answer");
    }

    [Fact]
    public void An_upgraded_connection_leaves_one_place_though_its_application_stays_when_the_client_has_gone()
    {
        ScriptedTransport upgraded = Upgrade();

        upgraded.Handler!.OnPeerGone();

        Assert.Contains("close", upgraded.Calls);
        AssertAdmits(1);
    }

    [Fact]
    public void An_upgraded_connection_leaves_its_place_though_its_peer_stays_when_the_application_has_gone()
    {
        ScriptedTransport upgraded = Upgrade();

        _goOn.SetResult();

        Assert.Contains("shutdown", upgraded.Calls);
        Assert.DoesNotContain("close", upgraded.Calls);
        AssertAdmits(1);
    }

    [Fact]
    public void A_connection_that_is_kept_behind_its_upgrade_has_a_place_again()
    {
        ScriptedTransport upgraded = Upgrade(keepConnection: true);

        _goOn.SetResult();

        Assert.DoesNotContain("shutdown", upgraded.Calls);
        AssertAdmits(0);
        upgraded.Handler!.OnPeerGone();
        AssertAdmits(1);
    }

    /// <summary>The listener of a meter runs while the connection is handed over, and the stop does not wait for it.</summary>
    [Fact]
    public void A_connection_that_was_being_handed_over_when_the_others_were_aborted_is_closed()
    {
        using var meters = new Meters(_ => _server.Connections.AbortAll());
        _server.Metrics = meters.NewMetrics();

        AssertIsNotServed(_server.Accept());
        Assert.Equal(0, _server.Connections.Count);
    }

    /// <summary>A transport of the application may go on to accept.</summary>
    [Fact]
    public void A_connection_that_is_accepted_behind_the_stop_is_closed()
    {
        _server.Connections.Dispose();

        AssertIsNotServed(_server.Accept());
        Assert.Equal(0, _server.Connections.Count);
    }

    private static void AssertIsNotServed(ScriptedTransport transport)
    {
        Assert.Contains("close", transport.Calls);
        Assert.Null(transport.Handler);
    }

    private ScriptedTransport Upgrade(bool keepConnection = false)
    {
        _server.Options.Limits.MaxConcurrentConnections = 1;
        _server.Application = async context =>
        {
            await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
            await _goOn.Task;
        };
        ScriptedTransport transport = _server.Accept(allowsUpgrade: true);
        transport.Bring(new RecordBuilder().Request(new RequestScript
        {
            KeepConnection = keepConnection, Headers = [("Connection", "Upgrade"), ("Upgrade", "mine")],
        }));
        Assert.Contains("101", transport.Text, StringComparison.Ordinal);
        return transport;
    }

    /// <summary>So many further connections, and no more.</summary>
    private void AssertAdmits(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Assert.DoesNotContain("close", _server.Accept().Calls);
        }

        Assert.Contains("close", _server.Accept().Calls);
    }
}
