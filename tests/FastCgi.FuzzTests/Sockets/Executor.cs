using System.Diagnostics;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Sockets;

/// <summary>Holds conversations with the real servers, with the model beside it.</summary>
internal sealed class Executor(FuzzServers servers)
{
    private static readonly byte[] s_probe = new RecordBuilder().GetValues("FCGI_MPXS_CONNS").ToArray();

    private static readonly TimeSpan s_patienceWithoutReading = TimeSpan.FromSeconds(1);

    /// <summary>For each wait. A minimiser that has seen the failure need not be as patient.</summary>
    public TimeSpan Patience { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Where one conversation is held many times, sightings of the time before would count too.</summary>
    public bool JudgesSightings { get; set; } = true;

    /// <summary>What was wrong, or null; and the model, for what can only be judged later.</summary>
    public async Task<(string? Error, ConversationModel Model)> RunAsync(Conversation conversation)
    {
        servers.Targets.Add(conversation);
        var model = new ConversationModel(conversation, hasSelectors: false);
        var answers = Answers.To(conversation, model);
        var peer = await servers.ConnectAsync(conversation);
        using var socket = peer.Socket;
        using var stop = new CancellationTokenSource();
        var transcript = new Transcript(answers);
        var pace = new Pace();
        var reads = conversation.Ending != Ending.Reset;
        var reading = reads ? transcript.ReadToEndAsync(socket, stop.Token) : Task.CompletedTask;
        try
        {
            await SendAsync(conversation, model, answers, socket, transcript, pace, reads);
            await EndAsync(conversation.Ending, model, answers, socket, transcript, reading);
        }
        catch (Xunit.Sdk.XunitException late)
        {
            await stop.CancelAsync();
            await reading;
            return (late.Message + transcript.Summary, model);
        }

        await stop.CancelAsync();
        await reading;
        var stayed = !pace.WasBroken && !conversation.IsForeign
            && (conversation.Ending is Ending.Finish or Ending.Stay
                || (conversation.Ending == Ending.HalfClose && servers.IsUnix));
        // On TCP the end of the input cuts what it did not wait for.
        var mayBeCut = !servers.IsUnix && model.Requests.Exists(static request => !request.IsCertain);
        var error = answers.Error ?? answers.Judge(stayed, mayBeCut, mayCutAnswer: mayBeCut || model.MayBeDropped)
            ?? (JudgesSightings ? model.Sighting : null);
        return (error is null ? null : error + transcript.Summary, model);
    }

    private async Task SendAsync(
        Conversation conversation,
        ConversationModel model,
        Answers answers,
        Socket socket,
        Transcript transcript,
        Pace pace,
        bool reads)
    {
        // The sizes of the sends depend on the seed too.
        var chunking = new Dice(conversation.Seed ^ 0x5EED);
        var bytes = conversation.Bytes.AsMemory();
        var sent = 0;
        foreach (var wait in model.Waits.Where(wait => wait.IsCertain && reads))
        {
            await SendChunksAsync(socket, bytes[sent..wait.Position], chunking, pace, reads);
            sent = wait.Position;
            await transcript.WaitAsync(
                () => answers.AnswersTo(wait.Id) >= wait.Answers, $"answer {wait.Answers} to id {wait.Id}", Patience);
            pace.OnWaited();
        }

        await SendChunksAsync(socket, bytes[sent..], chunking, pace, reads);
    }

    /// <summary>In pieces that have nothing to do with the records; now and then byte by byte.</summary>
    private static async Task SendChunksAsync(
        Socket socket, ReadOnlyMemory<byte> bytes, Dice chunking, Pace pace, bool reads)
    {
        var most = chunking.Below(6) switch { 0 => 3, 1 => 30, 2 => 2000, _ => int.MaxValue };
        most = Math.Max(most, bytes.Length / 200);
        try
        {
            while (!bytes.IsEmpty)
            {
                if (!reads && !socket.Poll(s_patienceWithoutReading, SelectMode.SelectWrite))
                {
                    // Rightly: the server reads no more from a peer that does not take its answers.
                    return;
                }

                var size = Math.Min(bytes.Length, most == int.MaxValue ? most : chunking.Between(1, most + 1));
                var sent = await socket.SendAsync(bytes[..size]).AsTask().Within("room to send in");
                bytes = bytes[sent..];
                pace.OnSent();
            }
        }
        catch (SocketException)
        {
            // The server has closed. Whether it may have, the model says.
        }
    }

    private async Task EndAsync(
        Ending ending, ConversationModel model, Answers answers, Socket socket, Transcript transcript, Task reading)
    {
        switch (ending)
        {
            case Ending.Close:
                socket.Dispose();
                return;
            case Ending.Reset:
                socket.LingerState = new LingerOption(true, 0);
                socket.Dispose();
                return;
            case Ending.Finish or Ending.Stay:
                await AwaitAnswersAsync(model, answers, socket, transcript);
                break;
        }

        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
        }

        await reading.Within("the end of the connection", deadline: Patience);
    }

    private async Task AwaitAnswersAsync(ConversationModel model, Answers answers, Socket socket, Transcript transcript)
    {
        await transcript.WaitAsync(() => answers.HasCertain, "the answers that have to come", Patience);
        if (model is { IsAlive: true, IsBetweenRecords: true, IsUncertain: false })
        {
            model.Feed(s_probe);
            await SendChunksAsync(socket, s_probe, new Dice(0), new Pace(), reads: true);
        }

        // Where the end of the input is the end of the peer, it would take back what is not answered by then.
        await transcript.WaitAsync(() => answers.HasCertain, "GET_VALUES_RESULT", Patience);
    }
}

/// <summary>
/// The longest pause that a busy machine made between two pieces of a conversation. The server gives the rest of a body
/// up that stays away for 150 ms behind its answer, and closes the connection then.
/// </summary>
internal sealed class Pace
{
    private static readonly TimeSpan s_shortestPause = TimeSpan.FromMilliseconds(100);

    private long _last = Stopwatch.GetTimestamp();

    /// <summary>The server may have taken a pause for the end of a body.</summary>
    public bool WasBroken { get; private set; }

    /// <summary>A piece was sent.</summary>
    public void OnSent()
    {
        WasBroken |= Stopwatch.GetElapsedTime(_last) > s_shortestPause;
        _last = Stopwatch.GetTimestamp();
    }

    /// <summary>The script has waited for an answer.</summary>
    public void OnWaited() => _last = Stopwatch.GetTimestamp();
}
