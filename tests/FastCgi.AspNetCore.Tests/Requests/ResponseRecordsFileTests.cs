namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>A file behind what was written. Its read may hang, and nothing else may wait for it.</summary>
public sealed class ResponseRecordsFileTests : IDisposable
{
    private static readonly FilePart s_part = new(null!, 0, 3);

    private readonly ScriptedResponse _response = new();
    private readonly Latch _isReading = new();
    private readonly Latch _goesOn = new();

    private ScriptedConnection Connection => _response.Connection;

    private ResponseRecords Records => _response.Records;

    public void Dispose() => _response.AssertHome();

    [Fact]
    public void A_file_follows_what_was_written()
    {
        _response.Append("a");
        _response.Head();
        Assert.Equal(SendOutcome.Sent, SendFile());
        _response.Append("b");
        _response.End();
        Assert.Equal("Hafffb", Connection.Stdout);
        Assert.Equal(2, Connection.Sends.Count);
    }

    [Fact]
    public void A_file_that_the_queue_refuses_leaves_everything_as_it_was()
    {
        _response.Head();
        _response.Append("a");
        Connection.Reserve = static () => SendOutcome.Queued;
        Assert.Equal(SendOutcome.Queued, SendFile());
        _response.Append("b");
        _response.End();
        Assert.Equal("Hab", Connection.Stdout);
        Assert.Single(Connection.Sends);
    }

    [Fact]
    public void A_file_has_to_be_copied_before_the_head_and_under_an_upload()
    {
        Assert.Equal(SendOutcome.Queued, SendFile());
        _response.Head();
        Records.BeginUploadHold(_response.Owner, this);
        Assert.Equal(SendOutcome.Queued, SendFile());
        Records.EndUploadHold(this);
        Assert.Equal(SendOutcome.Sent, SendFile());
        Assert.Equal("Hfff", Connection.Stdout);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_lost_socket_detaches(bool isKnown)
    {
        _response.Head();
        Connection.Reserve = () => isKnown ? SendOutcome.Lost : SendOutcome.Sent;
        Connection.SendFile = static () => SendOutcome.Lost;
        Assert.Equal(SendOutcome.Lost, SendFile());
        Assert.True(Records.IsDetached);
    }

    /// <summary>Behind an END_REQUEST, a record of the same id would belong to the next request.</summary>
    [Fact]
    public void An_abort_comes_before_the_place_of_the_file_is_taken_or_behind()
    {
        WaitingCall? abort = null;
        _response.Head();
        Connection.Reserve = () =>
        {
            abort = WaitingCall.Start(() => Records.Detach());
            return SendOutcome.Sent;
        };
        Assert.Equal(SendOutcome.Sent, SendFile());
        Assert.True(abort!.HasWaited);
        Assert.True(abort.Ends());
    }

    /// <summary>The queue has ended the record with zeros by then; the response goes on behind it.</summary>
    [Fact]
    public void A_read_that_throws_loses_no_buffer_and_no_later_record()
    {
        _response.Head();
        Connection.SendFile = static () => throw new IOException("of the disk");
        Assert.Throws<IOException>(() => SendFile());
        Assert.True(Records.IsHeadOut);
        _response.Append("b");
        _response.Flush();
        Assert.Equal("b", Connection.Stdout);
    }

    /// <summary>The head leaves with the file: the response has begun, so no other one can take its place.</summary>
    [Fact]
    public void A_response_whose_head_is_leaving_with_a_file_has_begun()
    {
        var hasLeft = false;
        _response.Head();
        Connection.SendFile = () =>
        {
            hasLeft = Records.Detach();
            return SendOutcome.Sent;
        };

        SendFile();

        Assert.True(hasLeft);
        Assert.True(Records.IsDetached);
    }

    /// <summary>What other threads do while the read hangs.</summary>
    public enum Other
    {
        BreakRun,
        EndRun,
        EndUploadHold,
        Detach,
        Break,
        End,
        Reset,
    }

    public static TheoryData<Other> Others => [.. Enum.GetValues<Other>()];

    [Theory, MemberData(nameof(Others))]
    public async Task A_read_that_hangs_holds_nobody_up(Other other)
    {
        var run = Records.BeginRun();
        _response.Head();
        var sender = await BeginHangingAsync();

        await Task.Run(() => Do(other, run)).Within($"{other} beside a read that hangs");
        Assert.False(sender.IsCompleted);

        _goesOn.Set();
        var outcome = await sender.Within("the sender");
        Assert.Equal(other is Other.Reset or Other.End ? SendOutcome.Lost : SendOutcome.Sent, outcome);
    }

    [Theory, MemberData(nameof(Others))]
    public async Task The_sender_touches_nothing_of_the_next_request(Other other)
    {
        var run = Records.BeginRun();
        _response.Head();
        var former = Connection;
        var sender = await BeginHangingAsync();

        await Task.Run(() =>
        {
            Do(other, run);
            Records.Reset();
            _response.BeginNext();
            _response.Append("a");
            _response.Head();
        }).Within("the next request");
        _goesOn.Set();
        Assert.Equal(SendOutcome.Lost, await sender.Within("the sender"));

        _response.Append("b");
        _response.End();
        Assert.Equal("Hab", Connection.Stdout);
        Assert.Single(Connection.Sends);
        Assert.StartsWith("H", former.Stdout, StringComparison.Ordinal);
    }

    private async Task<Task<SendOutcome>> BeginHangingAsync()
    {
        Connection.SendFile = () =>
        {
            _isReading.Set();
            _goesOn.Wait();
            return SendOutcome.Sent;
        };
        var owner = _response.Owner;
        var sender = Task.Factory.StartNew(
            () => Records.TrySendFile(owner, s_part),
            TaskCreationOptions.LongRunning);
        await Task.Run(() => _isReading.Wait()).Within("the read of the file");
        return sender;
    }

    private void Do(Other other, int run)
    {
        Action action = other switch
        {
            Other.BreakRun => Records.BreakRun,
            Other.EndRun => () => Records.EndRun(run),
            Other.EndUploadHold => () => Records.EndUploadHold(this),
            Other.Detach => () => Records.Detach(),
            Other.Break => () => Records.Break(_response.Owner),
            Other.End => _response.End,
            _ => Records.Reset,
        };
        action();
    }

    private SendOutcome SendFile() => Records.TrySendFile(_response.Owner, s_part);
}
