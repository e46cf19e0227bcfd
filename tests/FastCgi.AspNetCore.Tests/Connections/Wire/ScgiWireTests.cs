namespace FastCgi.AspNetCore.Tests.Connections.Wire;

public class ScgiWireTests
{
    [Theory]
    [InlineData("3:abc,", "Begin 1 Responder False 3 [616263], ParamsEnd 1")]
    [InlineData("3:abc,de", "Begin 1 Responder False 3 [616263], ParamsEnd 1, Stdin 1 [6465]")]
    [InlineData("0:,d", "Begin 1 Responder False 0, ParamsEnd 1, Stdin 1 [64]")]
    public void A_request_is_the_same_however_it_is_cut(string text, string expected) => Assert.All(
        Splits.All(Encoding.ASCII.GetBytes(text)),
        pieces => Assert.Equal(expected, WireScript.Read(new ScgiWire(), pieces)));

    [Theory]
    [InlineData("3:abcd")]
    [InlineData("GET /")]
    [InlineData("03:abc,")]
    public void Other_bytes_are_violations(string text) => Assert.All(
        Splits.All(Encoding.ASCII.GetBytes(text)),
        pieces => Assert.EndsWith("Netstring", WireScript.Read(new ScgiWire(), pieces), StringComparison.Ordinal));

    [Fact]
    public void It_is_between_records_before_the_head_and_behind_it()
    {
        byte[] bytes = "2:ab,body"u8.ToArray();
        var wire = new ScgiWire();
        for (int at = 0; at < bytes.Length; at++)
        {
            Assert.Equal(at is 0 or >= 5, wire.IsBetweenRecords);
            WireScript.Read(wire, [bytes.AsMemory(at, 1)]);
        }
    }

    [Fact]
    public void The_close_ends_a_request_and_a_refusal_has_no_frame()
    {
        var wire = new ScgiWire();
        byte[] bytes = new byte[1024];
        Assert.Equal(0, wire.WriteEnd(bytes, 1, ResponseEnd.RequestAlone, ProtocolStatus.RequestComplete));
        int length = wire.WriteRefusal(bytes, 1, CgiRejection.Overloaded, ProtocolStatus.Overloaded, isHead: false);
        Assert.StartsWith("Status: 503 ", Encoding.ASCII.GetString(bytes, 0, length), StringComparison.Ordinal);
        Assert.True(wire.Break.IsEmpty);
    }
}
