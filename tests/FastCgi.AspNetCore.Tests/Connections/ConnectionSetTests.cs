namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>What is counted of the connections of a server.</summary>
public sealed class ConnectionSetTests : IDisposable
{
    private readonly ScriptedServer _server = new();

    public void Dispose() => _server.Dispose();

    /// <summary>The heartbeat counts them, and waits for no connection.</summary>
    [Fact]
    public async Task Requests_are_counted_while_the_gate_of_a_connection_is_taken()
    {
        ScriptedTransport hanging = _server.Accept();
        var inside = new Latch();
        var hang = new Latch();
        hanging.InSend = () =>
        {
            inside.Set();
            hang.Wait(Deadline.Default);
        };

        // The end of a response is sent under the gate.
        Task answer = Task.Run(() => hanging.Bring(new RecordBuilder().Request(new RequestScript())));
        Assert.True(inside.Wait(Deadline.Default));
        Task<long> count = Task.Run(() => _server.Connections.BegunRequests);
        Assert.Equal(1, await count.Within("the count", deadline: TimeSpan.FromSeconds(3)));
        hang.Set();
        await answer.Within("the answer");
    }
}
