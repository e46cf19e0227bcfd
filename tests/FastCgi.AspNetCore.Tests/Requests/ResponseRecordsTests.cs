namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class ResponseRecordsTests : IDisposable
{
    private const int StdoutType = 6;
    private const int EndRequestType = 3;

    private readonly ScriptedResponse _response = new();

    private ScriptedConnection Connection => _response.Connection;

    private ResponseRecords Records => _response.Records;

    public static TheoryData<string> Outcomes => [nameof(SendOutcome.Sent), nameof(SendOutcome.Queued)];

    public void Dispose() => _response.AssertHome();

    [Theory]
    [InlineData(nameof(ResponseEnd.None), "")]
    [InlineData(nameof(ResponseEnd.Stdout), "stdout, end of stdout")]
    [InlineData(nameof(ResponseEnd.Request), "stdout, end of stdout, end of request")]
    [InlineData(nameof(ResponseEnd.RequestAndConnection), "stdout, end of request, end of stdout")]
    public void Head_body_and_end_are_one_send(string end, string records)
    {
        Connection.EndsBy = Enum.Parse<ResponseEnd>(end);
        _response.Write("body");
        _response.Head("head ");
        _response.End();

        var expected = new RecordBuilder();
        foreach (var record in records.Split(", ", StringSplitOptions.RemoveEmptyEntries))
        {
            _ = record switch
            {
                "stdout" => expected.Record(StdoutType, 7, "head body"u8),
                "end of stdout" => expected.Record(StdoutType, 7, []),
                _ => expected.Record(EndRequestType, 7, new byte[8]),
            };
        }

        Assert.Equal(expected.ToArray(), Connection.Sends.SelectMany(static sent => sent));
        Assert.Equal(records.Length == 0 ? 0 : 1, Connection.Sends.Count);
        Assert.Equal(1, Connection.Ends);
        Assert.True(Records.IsDetached);
    }

    [Fact]
    public void Without_records_only_the_content_is_sent()
    {
        var response = new ScriptedResponse(hasRecords: false);
        response.Append("body");
        response.Head("head ");
        response.End();
        Assert.Equal("head body", Encoding.ASCII.GetString(Assert.Single(response.Connection.Sends)));
        response.AssertHome();
    }

    [Fact]
    public void Bytes_before_the_head_follow_it_in_order()
    {
        _response.Append("a");
        _response.Write("b");
        _response.Append(new string('c', 10_000));
        _response.Write("d");
        _response.Flush();
        Assert.Empty(Connection.Sends);
        _response.Head();
        _response.Append("e");
        _response.Write("f");
        _response.Flush();
        Assert.Equal($"Hab{new string('c', 10_000)}def", Connection.Stdout);
        Assert.Equal(0, Records.BufferedBytes);
    }

    /// <summary>Copy loops end so: they ask for memory, find that nothing is left to copy, and write what follows.</summary>
    [Theory]
    [InlineData(100_000, false)]
    [InlineData(100_000, true)]
    public void A_large_lease_that_was_not_used_takes_nothing_of_later_writes(int unused, bool isAdvanced)
    {
        _response.Head();
        Records.GetMemory(_response.Owner, unused);
        if (isAdvanced)
        {
            Assert.True(Records.TryAdvance(_response.Owner, 0));
        }

        _response.Write("after");
        _response.Append("wards");
        _response.Flush();
        Assert.Equal("Hafterwards", Connection.Stdout);
    }

    [Fact]
    public void A_lease_that_an_upload_had_no_room_for_takes_nothing_of_later_writes()
    {
        var hold = new object();
        _response.Head();
        Records.BeginUploadHold(_response.Owner, hold);
        _response.Append(new string('a', 40_000));
        Records.GetMemory(_response.Owner, 40_000);
        _response.Write("b");
        _response.Flush();
        Records.EndUploadHold(hold);
        Assert.Equal($"H{new string('a', 40_000)}b", Connection.Stdout);
    }

    [Fact]
    public void A_full_block_that_an_upload_holds_stays_where_memory_of_any_size_is_asked_for()
    {
        _response.Head();
        Records.BeginUploadHold(_response.Owner, new object());
        _response.Append(new string('a', RecordBlock.MaxContent - 1));
        Records.GetMemory(_response.Owner, 0);
        Assert.Empty(Connection.Sends);
    }

    [Fact]
    public void Nothing_of_a_response_stays_for_the_next_one()
    {
        Records.BeginRun();
        Records.BeginRest(_response.Owner);
        _response.Append("of the first");
        _response.End();

        _response.BeginNext();

        Assert.Equal(0, Records.UnflushedBytes(_response.Owner));
        Assert.False(Records.IsRestWaiting);
        _response.Send("second");
        Assert.Equal("Hsecond", Connection.Stdout);
    }

    /// <summary>
    /// The connection may time the request out before it hears of the end. The second body leaves without a copy.
    /// </summary>
    [Theory, InlineData(1), InlineData(100_000)]
    public void A_response_of_which_a_part_has_left_stays_so_when_its_end_is_taken(int length)
    {
        _response.Send(new string('a', length));
        _response.End();
        Assert.True(Records.Detach());
        _response.BeginNext();
        Assert.False(Records.Detach());
    }

    [Fact]
    public void What_was_discarded_is_not_sent()
    {
        _response.Append("lost");
        Assert.Equal(4, Records.UnflushedBytes(_response.Owner));
        Records.DiscardUnstarted(_response.Owner);
        Assert.Equal(0, Records.UnflushedBytes(_response.Owner));
        _response.Head();
        _response.End();
        Assert.Equal("H", Connection.Stdout);
    }

    /// <summary>Around the sizes of the copy, of one record, and of the small record behind it.</summary>
    [Theory]
    [InlineData(32 * 1024 - 1, 0)]
    [InlineData(32 * 1024, 1)]
    [InlineData(65528, 1)]
    [InlineData(65536, 1)]
    [InlineData(65528 + 128, 1)]
    [InlineData(65528 + 129, 1)]
    [InlineData(200_000, 4)]
    public void A_large_write_leaves_from_the_memory_of_the_application(int size, int gatheredSends)
    {
        _response.Head();
        var body = string.Concat(Enumerable.Range(0, size).Select(static i => (char)('a' + (i % 23))));
        _response.Append(body);
        _response.Flush();
        Assert.Equal("H" + body, Connection.Stdout);
        Assert.InRange(Connection.GatheredSends, Math.Min(gatheredSends, 1), gatheredSends);
    }

    /// <summary>Event streams and WebSockets are open for hours, and mostly idle.</summary>
    [Fact]
    public void A_response_without_unsent_bytes_holds_no_buffer()
    {
        _response.Send("first");
        Assert.Equal(0, _response.Pool.Outstanding);

        _response.Write("second");
        _response.Flush();
        Assert.Equal(0, _response.Pool.Outstanding);
        Assert.Equal("Hfirstsecond", Connection.Stdout);
    }

    [Theory, MemberData(nameof(Outcomes))]
    public void Buffers_that_are_queued_and_large_writes_keep_their_order(string outcome)
    {
        Connection.Outcome = Enum.Parse<SendOutcome>(outcome);
        _response.Head();
        var expected = "H";
        for (var i = 0; i < 8; i++)
        {
            var piece = new string((char)('a' + i), i % 2 == 0 ? 70_000 : 10);
            expected += piece;
            _response.Append(piece);
            _response.Write("|");
            expected += "|";
        }

        _response.End();
        Assert.Equal(expected, Connection.Stdout);
    }

    [Theory, MemberData(nameof(Outcomes))]
    public void A_lease_stays_valid_when_another_thread_sends(string outcome)
    {
        Connection.Outcome = Enum.Parse<SendOutcome>(outcome);
        var run = Records.BeginRun();
        _response.Send("a");
        Assert.Empty(Connection.Sends);

        var memory = Records.GetMemory(_response.Owner, 100);
        Records.EndRun(run);
        Assert.Equal("Ha", Connection.Stdout);

        Connection.Drain();
        _response.Fill(memory, "bcd");
        _response.Append("e");
        _response.Flush();
        Assert.Equal("Habcde", Connection.Stdout);
    }

    [Fact]
    public void An_upload_holds_more_than_one_block_and_lets_it_go_in_order()
    {
        var hold = new object();
        _response.Head();
        Records.BeginUploadHold(_response.Owner, hold);
        var expected = "H";
        for (var i = 0; i < 6; i++)
        {
            var piece = new string((char)('a' + i), 40_000);
            expected += piece;
            _response.Append(piece);
            _response.Write("|");
            expected += "|";
            _response.Flush();
            Assert.Equal(0, Records.UnflushedBytes(_response.Owner));
            Assert.Empty(Connection.Sends);
        }

        Records.EndUploadHold(new object());
        Assert.Empty(Connection.Sends);
        Records.EndUploadHold(hold);
        Assert.Equal(expected, Connection.Stdout);
        Assert.Equal(0, Records.BufferedBytes);
        Assert.True(Records.IsHeadOut);
    }

    [Fact]
    public void An_upload_holds_nothing_once_the_head_is_out()
    {
        _response.Head();
        _response.Flush();
        Records.BeginUploadHold(_response.Owner, new object());
        _response.Append("a");
        _response.Flush();
        Assert.Equal("Ha", Connection.Stdout);
    }

    /// <summary>Under an upload, the second body is more than one block.</summary>
    [Theory, InlineData(1), InlineData(100_000)]
    public void A_broken_response_sends_what_it_has_and_nothing_after_it(int length)
    {
        var body = new string('a', length);
        Records.BeginRun();
        _response.Head();
        Records.BeginUploadHold(_response.Owner, new object());
        _response.Append(body);
        Records.Break(_response.Owner);
        Assert.Equal($"H{body}", Connection.Stdout);
        UseAll();
    }

    [Fact]
    public void What_is_flushed_behind_a_write_that_waits_leaves_when_the_wait_is_over()
    {
        _response.Head();
        Records.BeginRest(_response.Owner);
        _response.Append("behind");
        _response.Flush();
        Records.AppendRest(_response.Owner, "rest "u8);
        Records.EndRest(_response.Owner);
        Assert.Equal("Hrest behind", Connection.Stdout);
    }

    [Fact]
    public void The_rest_of_a_write_is_not_kept_after_the_detachment()
    {
        _response.Head();
        Records.BeginRest(_response.Owner);
        Records.Detach();
        var kept = Records.BufferedBytes;
        Assert.Equal(4, Records.AppendRest(_response.Owner, "rest"u8));
        Assert.Equal(kept, Records.BufferedBytes);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void After_the_detachment_everything_goes_nowhere(bool byLostSocket)
    {
        Connection.Outcome = byLostSocket ? SendOutcome.Lost : SendOutcome.Sent;
        _response.Append("a");
        _response.Head();
        if (!byLostSocket)
        {
            Records.Detach();
        }

        _response.Flush();
        Assert.True(Records.IsDetached);
        UseAll();
        Assert.Empty(Connection.Sends);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void The_flush_that_completes_the_length_leaves_with_the_end_or_at_the_next_tick(bool isInRun, bool goesOn)
    {
        var run = isInRun ? Records.BeginRun() : 0;
        _response.Head();
        _response.Append("body");
        _response.Flush(isWhole: true);
        Records.EndRun(run);
        Assert.Empty(Connection.Sends);
        if (goesOn)
        {
            Assert.True(_response.Monitor.Tick(TimeSpan.Zero));
            Assert.Equal("Hbody", Connection.Stdout);
            Assert.False(_response.Monitor.Tick(TimeSpan.Zero));
        }

        _response.End();
        Assert.Equal(goesOn ? 2 : 1, Connection.Sends.Count);
        Assert.Equal("Hbody", Connection.Stdout);
    }

    [Fact]
    public void Other_flushes_leave_at_once()
    {
        _response.Send("body");
        Assert.Equal("Hbody", Connection.Stdout);
        Assert.False(_response.Monitor.Tick(TimeSpan.Zero));
    }

    [Fact]
    public void A_tick_releases_nothing_of_the_next_response()
    {
        _response.Head();
        _response.Flush(isWhole: true);
        _response.End();
        Records.Reset();
        _response.BeginNext();
        var run = Records.BeginRun();
        _response.Head();
        _response.Flush();
        Assert.True(_response.Monitor.Tick(TimeSpan.Zero));
        Assert.Empty(Connection.Sends);
        Records.EndRun(run);
        Assert.Single(Connection.Sends);
    }

    [Fact]
    public void What_leaves_without_a_flush_counts_as_unflushed()
    {
        var run = Records.BeginRun();
        _response.Send("a");
        _response.Append("bc");

        Records.EndRun(run);

        Assert.Equal("Habc", Connection.Stdout);
        Assert.Equal(2, Records.UnflushedBytes(_response.Owner));
        _response.Flush();
        Assert.Equal(0, Records.UnflushedBytes(_response.Owner));
    }

    /// <summary>More than two blocks waited for the head, and the first send finds the socket lost.</summary>
    [Fact]
    public async Task What_waited_for_the_head_is_dropped_where_the_socket_is_lost()
    {
        _response.Append(new string('x', 200_000));
        Connection.Outcome = SendOutcome.Lost;
        await Task.Run(() => _response.Head()).Within("the head to be written");
        Assert.True(Records.IsDetached);
        UseAll();
    }

    private void UseAll()
    {
        var sends = Connection.Sends.Count;
        var run = Records.BeginRun();
        _response.Append(new string('x', 100_000));
        _response.Write("x");
        _response.Flush();
        Records.SendStderr(_response.Owner, _response.Pool.Rent(16), 16);
        Assert.NotEqual(
            SendOutcome.Sent, Records.TrySendFile(_response.Owner, new FilePart(null!, 0, 1)));
        Records.EndRun(run);
        Records.BreakRun();
        Records.Break(_response.Owner);
        _response.End();
        Assert.Equal(sends, Connection.Sends.Count);
    }
}
