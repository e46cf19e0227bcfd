namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Writes that come at the same moment as others, or when the request is over.</summary>
public sealed class ResponseOwnerTests : IDisposable
{
    private readonly ScriptedResponse _response = new();

    private ScriptedConnection Connection => _response.Connection;

    private ResponseRecords Records => _response.Records;

    public void Dispose() => _response.AssertHome();

    /// <summary>Writes that nobody awaits may start one response on two threads.</summary>
    [Fact]
    public void Of_two_heads_the_first_holds_and_the_other_is_nobodys_memory()
    {
        byte[] late = _response.Pool.Rent(RecordBlock.FirstSize);
        _response.Head("first");
        _response.Append(new string('a', 5000));
        RecordBlock.RoomForHead(late).Fill((byte)'x');
        Records.CommitHead(_response.Owner, late, 6);
        _response.Flush();
        Assert.Equal("first" + new string('a', 5000), Connection.Stdout);
    }

    /// <summary>What the next request writes meanwhile would be mixed with the bytes that wait.</summary>
    [Fact]
    public void A_writer_whose_request_is_over_takes_no_place_from_a_write_that_waits()
    {
        object over = _response.Owner;
        _response.End();
        _response.BeginNext();
        _response.Head();
        Records.BeginRest(over);
        Assert.False(Records.IsRestWaiting);
        Records.BeginRest(_response.Owner);
        Records.EndRest(over);
        Assert.True(Records.IsRestWaiting);
        _response.Append("behind");
        Records.AppendRest(_response.Owner, "rest "u8);
        Records.EndRest(_response.Owner);
        _response.Flush();
        Assert.Equal("Hrest behind", Connection.Stdout);
    }

    /// <summary>Between the question and the advance another thread has flushed.</summary>
    [Fact]
    public void Nothing_is_advanced_that_is_not_leased_any_more()
    {
        _response.Head();
        Records.GetMemory(_response.Owner, 10);
        Assert.True(Records.CanAdvance(_response.Owner, 10));
        _response.Flush();
        Assert.False(Records.TryAdvance(_response.Owner, 10));
        _response.Flush();
        Assert.Equal("H", Connection.Stdout);
    }

    public static MatrixTheoryData<string, string> Sends => new(
        ["a flush", "a small write", "a large write", "a file", "the end"],
        [nameof(SendOutcome.Sent), nameof(SendOutcome.Queued)]);

    /// <summary>
    /// Another thread has leased memory and writes into it while this one sends: the record belongs to all who share
    /// the connection, and the buffer to whoever gets it next.
    /// </summary>
    [Theory, MemberData(nameof(Sends))]
    public void Memory_that_is_leased_is_in_no_record_and_in_no_buffer_of_others(string what, string outcome)
    {
        Connection.Outcome = Enum.Parse<SendOutcome>(outcome);
        _response.Head();
        _response.Append("a");
        var leased = Records.GetMemory(_response.Owner, 100);
        Connection.InSend = () => leased.Span.Fill(0xFF);
        Connection.Reserve = () => Connection.Outcome;
        Connection.SendFile = () =>
        {
            leased.Span.Fill(0xFF);
            return Connection.Outcome;
        };

        string added = what switch
        {
            "a small write" => "b",
            "a large write" => new string('b', 70_000),
            _ => "",
        };
        _response.Append(added);
        if (what == "a file")
        {
            Records.TrySendFile(_response.Owner, new FilePart(null!, 0, 3));
            added = outcome == nameof(SendOutcome.Sent) ? "fff" : "";
        }
        else if (what != "the end")
        {
            _response.Flush();
        }

        _response.End();
        leased.Span.Fill(0xFF);
        Assert.Equal("Ha" + added, Connection.Stdout);
        Assert.Equal(1, _response.Pool.Abandoned);
    }

    [Fact]
    public void Memory_that_two_have_leased_and_one_has_advanced_is_still_leased()
    {
        Connection.Outcome = SendOutcome.Queued;
        _response.Head();
        var leased = Records.GetMemory(_response.Owner, 100);
        _response.Write("a");
        _response.Flush();
        leased.Span.Fill(0xFF);
        _response.End();
        Assert.Equal("Ha", Connection.Stdout);
    }

    [Fact]
    public void Memory_that_is_leased_before_the_head_goes_to_nobody_else()
    {
        Records.GetMemory(_response.Owner, 100);
        _response.Append("a");
        _response.Send("b");
        Assert.Equal("Hab", Connection.Stdout);
        Assert.Equal(1, _response.Pool.Abandoned);
    }

    /// <summary>Every lease of these is advanced, by nothing at all in one case.</summary>
    [Fact]
    public void A_lease_that_was_advanced_costs_no_buffer()
    {
        _response.Write("a");
        _response.Head();
        _response.Write("b");
        _response.Flush();
        Records.GetMemory(_response.Owner, 10);
        Assert.True(Records.TryAdvance(_response.Owner, 0));
        _response.Append(new string('c', 70_000));
        _response.End();
        Assert.Equal("Hab" + new string('c', 70_000), Connection.Stdout);
        Assert.Equal(0, _response.Pool.Abandoned);
    }

    [Fact]
    public void The_head_of_a_request_that_has_ended_reaches_no_other()
    {
        var former = _response.Owner;
        byte[] late = _response.Pool.Rent(RecordBlock.FirstSize);
        Records.Reset();
        _response.BeginNext();
        Records.CommitHead(former, late, 6);
        _response.Send("a");
        Assert.Equal("Ha", Connection.Stdout);
    }

    /// <summary>What follows an abort on the wire must not come before the send.</summary>
    [Fact]
    public async Task An_abort_waits_for_a_send_that_is_under_way()
    {
        var inside = new Latch();
        var mayEnd = new Latch();
        Connection.InSend = () =>
        {
            inside.Set();
            mayEnd.Wait();
        };
        _response.Head();
        _response.Append("a");
        var sending = Task.Run(() => _response.Flush());
        inside.Wait();

        var abort = WaitingCall.Start(() => Records.Detach());
        mayEnd.Set();
        await sending.Within("the send");

        Assert.True(abort.Ends());
        Assert.True(abort.HasWaited);
        Assert.Equal("Ha", Connection.Stdout);
    }

    [Fact]
    public void Nobody_but_the_owner_writes()
    {
        var former = _response.Owner;
        Records.GetMemory(former, 10);
        Records.Reset();
        _response.BeginNext();
        Assert.Throws<ObjectDisposedException>(() => Records.GetMemory(former, 1));
        Assert.Throws<ObjectDisposedException>(() => Records.CanAdvance(former, 1));
        Assert.Throws<ObjectDisposedException>(() => Records.TryAdvance(former, 1));
        Assert.Throws<ObjectDisposedException>(() => Records.Append(former, "x"u8));
        Assert.Throws<ObjectDisposedException>(() => Records.Append(former, []));
        Assert.Throws<ObjectDisposedException>(() => Records.Flush(former, isWhole: false));
        Assert.Throws<ObjectDisposedException>(() => Records.TrySendFile(former, new FilePart(null!, 0, 1)));
        Assert.Equal(0, Records.UnflushedBytes(former));

        _response.Send("a");
        Assert.Equal("Ha", Connection.Stdout);
    }
}
