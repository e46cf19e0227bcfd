namespace FastCgi.Client.Tests.Connections;

/// <summary>While all connections are in use for hours, other requests come, wait and are given up.</summary>
[Collection(nameof(Alone))]
public sealed class CancelledWaitTests
{
    [Fact]
    public async Task A_wait_that_was_cancelled_leaves_nothing_behind()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, first) = await application.BeginAsync();
        Task<HttpResponseMessage> patient = application.SendAsync();
        long kept = await KeptMemory.OfEachAsync(() => CancelAsync(application));
        KeptMemory.AssertNothing(kept, "wait for a connection that was cancelled");
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
