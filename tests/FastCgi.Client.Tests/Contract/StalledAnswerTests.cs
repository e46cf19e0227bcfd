namespace FastCgi.Client.Tests.Contract;

/// <summary>A thousand answers that make no progress cost a little memory each, however long they are.</summary>
[Collection(nameof(Alone))]
public sealed class StalledAnswerTests
{
    private const int Count = 1000;

    /// <summary>The buffer of 16 KiB, the pipes of the test, and objects.</summary>
    private const int MostOfEach = 40_000;

    private static readonly byte[] s_head = new RecordBuilder().Stdout("A: b\n\n").ToArray();
    private static readonly byte[] s_piece = new RecordBuilder().Stdout(new string('x', 4000)).ToArray();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Memory_is_bounded(bool isByReader)
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = Count, window: 4096);
        using var stop = new CancellationTokenSource();
        var stalled = new List<(HttpResponseMessage Response, Task Progress)>
        {
            await StallAsync(application, isByReader, stop.Token),
        };
        using var memory = new LiveMemory();
        while (stalled.Count < Count)
        {
            stalled.Add(await StallAsync(application, isByReader, stop.Token));
        }

        long each = memory.Growth / Count;
        Assert.InRange(each, 0, MostOfEach);
        Assert.All(stalled, static one => Assert.False(one.Progress.IsCompleted));
        Console.WriteLine($"=> {each} bytes for each stalled answer");
        await stop.CancelAsync();
        stalled.ForEach(static one => one.Response.Dispose());
        await Task.WhenAll(stalled.Select(static one => one.Progress)).ContinueWith(
            static _ => { }, TaskScheduler.Default).Within("the ends");
    }

    /// <summary>An endless answer of which no more is read, or a read of an answer of which no more comes.</summary>
    private static async Task<(HttpResponseMessage Response, Task Progress)> StallAsync(
        ScriptedApplication application, bool isByReader, CancellationToken stop)
    {
        var (connection, sending) = await application.BeginAsync(cancellationToken: CancellationToken.None);
        await connection.SendAsync(s_head);
        HttpResponseMessage response = await sending.Within("a response");
        return (response, isByReader
            ? SendAsync(connection, stop)
            : response.Content.ReadAsStream(CancellationToken.None).ReadAsync(new byte[1], stop).AsTask());
    }

    private static async Task SendAsync(ApplicationConnection connection, CancellationToken stop)
    {
        while (true)
        {
            await connection.Stream.WriteAsync(s_piece, stop);
        }
    }
}
