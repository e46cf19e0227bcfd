namespace FastCgi.Client.Tests.Connections;

/// <summary>While all connections are in use for hours, other requests come, wait and are given up.</summary>
[Collection(nameof(Alone))]
public sealed class CancelledWaitTests
{
    private const int Count = 20_000;

    /// <summary>Nothing is kept of it; what the measurement itself adds is little by request.</summary>
    private const int MostOfEach = 16;

    [Fact]
    public async Task A_wait_that_was_cancelled_leaves_nothing_behind()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, first) = await application.BeginAsync();
        Task<HttpResponseMessage> patient = application.SendAsync();
        await CancelAsync(application);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < Count; i++)
        {
            await CancelAsync(application);
        }

        long each = (GC.GetTotalMemory(forceFullCollection: true) - before) / Count;
        Assert.InRange(each, long.MinValue, MostOfEach);
        Console.WriteLine($"=> {each} bytes for each cancelled wait for a connection");
        await connection.AnswerAsync(first, "one");
        await connection.ServeAsync(patient, "two");
    }

    private static async Task CancelAsync(ScriptedApplication application)
    {
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: cancellation.Token);
        Assert.False(sending.IsCompleted);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
    }
}
