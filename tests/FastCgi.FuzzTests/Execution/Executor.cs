using System.Net.Sockets;
using FastCgi.FuzzTests.Conversations;
using FastCgi.FuzzTests.Model;

namespace FastCgi.FuzzTests.Execution;

/// <summary>Holds a conversation with the real server, with the model beside it.</summary>
public sealed class Executor(FunctionalServer server, FuzzApplication application, bool isUnix)
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
        var model = new ConversationModel(conversation.Scripts);
        var peer = await server.ConnectAsync();
        using var socket = peer.Socket;
        using var stop = new CancellationTokenSource();
        var transcript = new Transcript();
        var pace = new Pace();
        var reads = conversation.Ending != Ending.Reset;
        var reading = reads ? transcript.ReadToEndAsync(socket, stop.Token) : Task.CompletedTask;
        try
        {
            await SendAsync(conversation, model, socket, transcript, pace, reads);
            model.Finish();
            await EndAsync(conversation.Ending, model, socket, transcript, reading);
        }
        catch (Xunit.Sdk.XunitException late)
        {
            await stop.CancelAsync();
            await reading;
            return (late.Message + transcript.Summary, model);
        }

        await stop.CancelAsync();
        await reading;
        var staysToRead = !pace.WasBroken
            && (conversation.Ending == Ending.Finish || (conversation.Ending == Ending.HalfClose && isUnix));
        // On TCP the end of the input cuts what it did not wait for.
        var mayBeCut = model.MayBeDropped || !staysToRead
            || (!isUnix && model.Requests.Any(request => !request.IsCertain));
        var error = transcript.EndsInsideRecord && !mayBeCut
            ? "the server closed inside a record"
            : Verdict.OnAnswers(model, transcript.Records, staysToRead)
                ?? (JudgesSightings ? Verdict.OnSightings(model, application.SeenOf(conversation.Key)) : null);
        return (error is null ? null : error + transcript.Summary, model);
    }

    private async Task SendAsync(
        Conversation conversation, ConversationModel model, Socket socket, Transcript transcript, Pace pace, bool reads)
    {
        var chunking = conversation.NewChunking();
        var unsent = new List<byte>();
        foreach (var item in conversation.Items)
        {
            if (item is WaitItem wait)
            {
                if (reads && model.TryWait(wait.Id) is { } count)
                {
                    await SendChunksAsync(socket, unsent, chunking, pace, reads);
                    await transcript.WaitAsync(
                        records => Ends(records, wait.Id) >= count, $"END_REQUEST {count} of id {wait.Id}",
                        Patience);
                    pace.OnWaited();
                }

                continue;
            }

            var bytes = item is RecordItem record ? record.ToBytes() : ((RawItem)item).Bytes;
            model.Feed(bytes);
            unsent.AddRange(bytes);
        }

        await SendChunksAsync(socket, unsent, chunking, pace, reads);
    }

    /// <summary>In pieces that have nothing to do with the records; now and then byte by byte.</summary>
    private static async Task SendChunksAsync(
        Socket socket, List<byte> unsent, Random chunking, Pace pace, bool reads)
    {
        var bytes = unsent.ToArray().AsMemory();
        unsent.Clear();
        var most = chunking.Next(6) switch { 0 => 3, 1 => 30, 2 => 2000, _ => int.MaxValue };
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

                var size = Math.Min(bytes.Length, most == int.MaxValue ? most : chunking.Next(1, most + 1));
                var sent = await socket.SendAsync(bytes[..size]).AsTask().Within("room to send in");
                bytes = bytes[sent..];
                pace.OnSent();
            }
        }
        catch (SocketException)
        {
            // The server has closed. Whether it may have, the verdict says.
        }
    }

    private async Task EndAsync(
        Ending ending, ConversationModel model, Socket socket, Transcript transcript, Task reading)
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
            case Ending.Finish:
                await AwaitAnswersAsync(model, socket, transcript);
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

    private async Task AwaitAnswersAsync(ConversationModel model, Socket socket, Transcript transcript)
    {
        foreach (var ofId in model.Requests.Where(request => request.IsCertain).GroupBy(request => request.Id))
        {
            await transcript.WaitAsync(
                records => Ends(records, ofId.Key) >= ofId.Count(), $"END_REQUEST {ofId.Count()} of id {ofId.Key}",
                Patience);
        }

        if (model is { IsAlive: true, IsBetweenRecords: true, IsUncertain: false })
        {
            model.Feed(s_probe);
            await SendChunksAsync(socket, [.. s_probe], new Random(0), new Pace(), reads: true);
        }

        // Where the end of the input is the end of the peer, it would take back what is not answered by then.
        await transcript.WaitAsync(
            records => records.Count(record => record.RequestId == 0) >= model.LeastManagement,
            "GET_VALUES_RESULT",
            Patience);
    }

    private static int Ends(IReadOnlyList<WireRecord> records, int id) =>
        records.Count(record => record.Type == WireRecord.EndRequest && record.RequestId == id);
}
