namespace FastCgi.FunctionalTests.Management;

/// <summary>Rows M of the hard inputs.</summary>
public sealed class ManagementRecordTests : FunctionalTest
{
    private const int GetValues = 9;

    [Fact]
    [HardInput("M1")]
    public async Task GET_VALUES_without_names_has_an_empty_result()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Record(GetValues, 0, [], padding: 8));

        var result = await peer.ExpectRecordAsync();
        Assert.Equal((WireRecord.GetValuesResult, 0), (result.Type, result.Content.Length));
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("M2")]
    public async Task Known_names_are_answered_with_the_limits()
    {
        var peer = await StartAndConnectAsync(Write("x"), options =>
        {
            options.Limits.MaxConcurrentConnections = 12;
            options.Limits.MaxConcurrentRequests = 34;
        });

        Assert.Equal(
            [("FCGI_MAX_CONNS", "12"), ("FCGI_MAX_REQS", "34"), ("FCGI_MPXS_CONNS", "1")],
            (await AskAsync(peer, "FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS")).Order());
    }

    [Fact]
    [HardInput("M2")]
    public async Task A_limit_of_one_request_says_that_there_is_no_multiplexing()
    {
        var peer = await StartAndConnectAsync(
            Write("x"), options => options.Limits.MaxConcurrentRequestsPerConnection = 1);

        Assert.Equal([("FCGI_MPXS_CONNS", "0")], await AskAsync(peer, "FCGI_MPXS_CONNS"));
    }

    [Fact]
    [HardInput("M3")]
    public async Task Unknown_names_are_omitted()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        Assert.Equal([("FCGI_MPXS_CONNS", "1")], await AskAsync(peer, "FCGI_UNHEARD_OF", "FCGI_MPXS_CONNS", ""));
    }

    [Fact]
    [HardInput("M4")]
    public async Task The_answer_is_bounded_whatever_is_asked()
    {
        var peer = await StartAndConnectAsync(Write("x"));
        var repeated = Enumerable.Repeat("FCGI_MPXS_CONNS", 3000).ToArray();
        byte[] withValues = RecordBuilder.Pair("FCGI_MPXS_CONNS", new string('x', 5000));
        byte[] truncated = [.. RecordBuilder.Pair("FCGI_MPXS_CONNS", ""), 0x10, 0x00, (byte)'F'];

        Assert.Equal([("FCGI_MPXS_CONNS", "1")], await AskAsync(peer, repeated));
        await peer.SendAsync(new RecordBuilder().Record(GetValues, 0, withValues));
        Assert.Equal([("FCGI_MPXS_CONNS", "1")], Pairs(await peer.ExpectRecordAsync()));
        await peer.SendAsync(new RecordBuilder().Record(GetValues, 0, truncated));
        Assert.True((await peer.ExpectRecordAsync()).Content.Length < 100);
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("M5")]
    public async Task GET_VALUES_for_a_request_id_is_ignored()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Record(GetValues, 1, RecordBuilder.Pair("FCGI_MPXS_CONNS", "")));

        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("M6")]
    public async Task GET_VALUES_is_answered_in_the_middle_of_a_request()
    {
        var peer = await StartAndConnectAsync(EchoAsync);

        await peer.SendAsync(new RecordBuilder().Begin());
        Assert.Empty(await peer.SynchronizeAsync());
        await peer.SendAsync(new RecordBuilder().Params(1, Post("abc").ToParams()));
        Assert.Empty(await peer.SynchronizeAsync());
        await peer.SendAsync(new RecordBuilder().EndParams());
        Assert.Empty(await peer.SynchronizeAsync());
        Assert.Equal("abc", (await peer.RoundTripAsync(EndBody("abc"u8))).BodyText);
    }

    [Fact]
    [HardInput("M7")]
    public async Task An_unknown_type_is_answered_idle_and_in_the_middle_of_a_request()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Record(77, 0, "content"u8));
        await AssertUnknownAsync(peer, 77);
        await peer.SendAsync(new RecordBuilder().Begin().Record(255, 0, new byte[30_000], padding: 3));
        await AssertUnknownAsync(peer, 255);
        await peer.SendAsync(new RecordBuilder().Params(1, Get().ToParams()).EndParams().EndStdin());

        Assert.Equal("x", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    [HardInput("M8")]
    public async Task Records_that_only_a_server_sends_are_ignored()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        foreach (var type in (int[])[
            WireRecord.EndRequest, WireRecord.Stdout, WireRecord.Stderr, WireRecord.GetValuesResult, WireRecord.UnknownType])
        {
            await peer.SendAsync(new RecordBuilder().Record(type, 0, new byte[8]));
        }

        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    private static async Task<List<(string Name, string Value)>> AskAsync(ScriptedPeer peer, params string[] names)
    {
        await peer.SendAsync(new RecordBuilder().GetValues(names));
        return Pairs(await peer.ExpectRecordAsync());
    }

    private static async Task AssertUnknownAsync(ScriptedPeer peer, byte type)
    {
        var answer = await peer.ExpectRecordAsync();
        Assert.Equal((WireRecord.UnknownType, 0), (answer.Type, answer.RequestId));
        Assert.Equal([type, 0, 0, 0, 0, 0, 0, 0], answer.Content);
    }

    private static List<(string Name, string Value)> Pairs(WireRecord record)
    {
        Assert.Equal((WireRecord.GetValuesResult, 0), (record.Type, record.RequestId));
        List<(string, string)> pairs = [];
        for (var at = 0; at < record.Content.Length;)
        {
            int name = record.Content[at];
            int value = record.Content[at + 1];
            pairs.Add((
                Encoding.ASCII.GetString(record.Content, at + 2, name),
                Encoding.ASCII.GetString(record.Content, at + 2 + name, value)));
            at += 2 + name + value;
        }

        return pairs;
    }
}
