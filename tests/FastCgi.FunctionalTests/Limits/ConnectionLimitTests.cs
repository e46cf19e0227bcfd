namespace FastCgi.FunctionalTests.Limits;

public sealed class ConnectionLimitTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task One_too_many_is_closed_at_once_and_the_place_of_one_that_left_is_free(ServerTransport transport)
    {
        var first = await StartAndConnectAsync(
            transport, Write("served"), options => options.Limits.MaxConcurrentConnections = 1);
        Assert.Equal("served", (await first.RoundTripAsync(Get())).BodyText);

        Assert.Empty(await (await ConnectAsync()).ExpectClosedAsync());
        var warning = await Logs.WaitForAsync(ConnectionRejected);
        Assert.Equal(LogLevel.Warning, warning.Level);
        Assert.Contains("MaxConcurrentConnections", warning.Message);
        Assert.Equal("served", (await first.RoundTripAsync(Get())).BodyText);

        await first.DisposeAsync();
        await AssertServesSoonAsync();
    }

    /// <summary>The server hears of the peer that left when it does; until then further ones are closed.</summary>
    private async Task AssertServesSoonAsync()
    {
        using var deadline = new CancellationTokenSource(Deadline.Default);
        while (true)
        {
            deadline.Token.ThrowIfCancellationRequested();
            var next = await ConnectAsync();
            try
            {
                await next.SendAsync(new RecordBuilder().Request(Get() with { KeepConnection = false }));
            }
            catch (SocketException)
            {
                // Closed already.
            }

            if ((await next.ExpectClosedAsync()).Count > 0)
            {
                return;
            }
        }
    }
}
