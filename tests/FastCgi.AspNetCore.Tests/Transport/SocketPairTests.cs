namespace FastCgi.AspNetCore.Tests.Transport;

public class SocketPairTests
{
    /// <summary>A test that only sends at first would otherwise close its connection when memory is collected.</summary>
    [Fact]
    public void A_peer_that_no_variable_holds_any_more_stays_open()
    {
        using var accepted = ConnectAndForget();

        GC.Collect();
        GC.WaitForPendingFinalizers();

        Assert.False(accepted.Poll(0, SelectMode.SelectRead), "The peer was closed.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Socket ConnectAndForget() => SocketPair.Connect(SocketKind.Unix).Accepted;
}
