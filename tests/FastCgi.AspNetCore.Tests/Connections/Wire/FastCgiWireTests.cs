namespace FastCgi.AspNetCore.Tests.Connections.Wire;

public class FastCgiWireTests
{
    [Fact]
    public void A_request_is_the_same_however_it_is_cut() => AssertReads(
        new RecordBuilder().Begin(3, keepConnection: true).Stream(4, 3, [1, 2, 3]).EndParams(3).Stdin(3, [4, 5]).EndStdin(3),
        "Begin 3 Responder True, Params 3 [010203], ParamsEnd 3, Stdin 3 [0405], StdinEnd 3");

    [Fact]
    public void An_abort_comes_when_it_is_whole() => AssertReads(
        new RecordBuilder().Abort(7).Record(2, 8, [1, 2], padding: 3), "Abort 7, Abort 8");

    [Fact]
    public void What_only_ever_goes_the_other_way_says_nothing() => AssertReads(
        new RecordBuilder().Record(3, 1, new byte[8]).Record(6, 1, [1]).Record(7, 1, [1]).Data(1, [1])
            .Record(9, 1, []).Record(10, 1, []).Record(3, 0, new byte[8]).Record(6, 0, []).Record(11, 0, new byte[8]),
        "");

    [Fact]
    public void Unknown_types_are_answered_once() => AssertReads(
        new RecordBuilder().Record(99, 0, [1, 2, 3]).Record(98, 5, [1, 2, 3]),
        "Answer 0 [010B0000000800006300000000000000], Answer 5 [010B0000000800006200000000000000]");

    [Fact]
    public void Values_that_are_asked_for_are_told()
    {
        var limits = new FastCgiServerLimits { MaxConcurrentRequestsPerConnection = 1, MaxConcurrentConnections = 12 };
        foreach (var pieces in Splits.All(new RecordBuilder().GetValues("FCGI_MAX_CONNS", "OTHER").ToArray()))
        {
            Assert.Equal(
                $"Answer 0 [010A000000120000{Convert.ToHexString(RecordBuilder.Pair("FCGI_MAX_CONNS", "12"))}]",
                WireScript.Read(new FastCgiWire(limits), pieces));
        }
    }

    [Theory, InlineData(1), InlineData(2), InlineData(4), InlineData(5), InlineData(8)]
    public void A_request_has_another_id_than_0(int type) => AssertReads(
        new RecordBuilder().Begin().Record(type, 0, new byte[8]).Begin(2), "Begin 1 Responder True, NullRequestId");

    [Theory, InlineData(0), InlineData(7), InlineData(9)]
    public void A_begin_has_eight_bytes(int length) =>
        AssertReads(new RecordBuilder().Record(1, 1, new byte[length]).Begin(2), "BodyLength");

    [Fact]
    public void Other_protocols_are_violations() => AssertReads(new RecordBuilder().Raw("GET /"u8), "UnsupportedVersion");

    [Fact]
    public void It_is_between_records_only_where_a_record_ends()
    {
        byte[] bytes = new RecordBuilder().Record(4, 1, [1, 2], padding: 2).ToArray();
        var wire = new FastCgiWire(new FastCgiServerLimits());
        for (int at = 0; at < bytes.Length; at++)
        {
            Assert.Equal(at == 0, wire.IsBetweenRecords);
            WireScript.Read(wire, [bytes.AsMemory(at, 1)]);
        }

        // Padding is skipped with the bytes that follow it.
        WireScript.Read(wire, [default(ReadOnlyMemory<byte>)]);
        Assert.True(wire.IsBetweenRecords);
    }

    [Fact]
    public void An_end_is_one_record_and_a_refusal_a_whole_response()
    {
        var wire = new FastCgiWire(new FastCgiServerLimits());
        byte[] bytes = new byte[1024];
        Assert.Equal(16, wire.WriteEnd(bytes, 5, ResponseEnd.RequestAlone, ProtocolStatus.RequestComplete));
        Assert.Equal("01030005000800000000000000000000", Convert.ToHexString(bytes.AsSpan(0, 16)));

        int length = wire.WriteRefusal(bytes, 5, CgiRejection.Overloaded, ProtocolStatus.Overloaded, isHead: false);
        var cutter = new RecordCutter();
        cutter.Add(bytes.AsSpan(0, length));
        Assert.Equal(WireRecord.Stdout, cutter.Take()!.Type);
        Assert.Empty(cutter.Take()!.Content);
        Assert.Equal((byte)ProtocolStatus.Overloaded, cutter.Take()!.Content[4]);
        Assert.Equal(0, cutter.Rest);
        Assert.Equal(new byte[8], wire.Break.ToArray());
    }

    private static void AssertReads(RecordBuilder records, string expected) => Assert.All(
        Splits.All(records.ToArray()),
        pieces => Assert.Equal(expected, WireScript.Read(new FastCgiWire(new FastCgiServerLimits()), pieces)));
}
