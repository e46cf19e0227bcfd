namespace FastCgi.Protocol.Tests.TestKit;

/// <summary>The encoder of the tests against bytes typed from the specification, so that it can judge ours.</summary>
public class RecordBuilderTests
{
    [Fact]
    public void Records_have_the_bytes_of_the_specification()
    {
        AssertBytes([1, 1, 0x12, 0x34, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0], New().Begin(0x1234, role: 2));
        AssertBytes([1, 1, 0, 1, 0, 8, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0], New().Begin(role: 0x0102, keepConnection: false));
        AssertBytes([1, 2, 0, 7, 0, 0, 0, 0], New().Abort(7));
        AssertBytes(
            [1, 4, 0, 1, 0, 9, 0, 0, 1, 2, (byte)'A', (byte)'b', (byte)'c', 0, 0, 0, 0, 1, 4, 0, 1, 0, 0, 0, 0],
            New().Record(4, 1, [.. RecordBuilder.Pair("A", "bc"), 0, 0, 0, 0]).EndParams());
        AssertBytes(
            [1, 4, 0, 1, 0, 3, 0, 0, 1, 2, (byte)'A', 1, 4, 0, 1, 0, 2, 0, 0, (byte)'b', (byte)'c'],
            New().Params(1, [("A", "bc")], recordSize: 3));
        AssertBytes([1, 5, 0, 1, 0, 2, 0, 0, 8, 9, 1, 5, 0, 1, 0, 0, 0, 0], New().Stdin(1, [8, 9]).EndStdin());
        AssertBytes([1, 9, 0, 0, 0, 3, 0, 0, 1, 0, (byte)'X'], New().GetValues("X"));
        AssertBytes(
            [3, 200, 0xFF, 0xFE, 0, 1, 2, 9, 5, 0xAA, 0xAA],
            New().Record(200, 0xFFFE, [5], padding: 2, version: 3, reserved: 9));

        static RecordBuilder New() => new();

        static void AssertBytes(byte[] expected, RecordBuilder records) => Assert.Equal(expected, records.ToArray());
    }

    [Fact]
    public void Lengths_are_long_when_asked_for_and_from_128_on()
    {
        Assert.Equal([0x80, 0, 0, 1, 0x80, 0, 0, 0, (byte)'X'], RecordBuilder.Pair("X"u8, [], longLengths: true));
        Assert.Equal([127, 0x80, 0, 0, 128], RecordBuilder.Pair(new byte[127], new byte[128])[..5]);
    }

    [Fact]
    public void Pairs_are_read_with_lengths_of_both_forms() => Assert.Equal(
        [("A", "bc"), ("", ""), (new string('X', 128), "\u00e4")],
        RecordCutter.Pairs(
        [
            1, 2, (byte)'A', (byte)'b', (byte)'c',
            0, 0x80, 0, 0, 0,
            0x80, 0, 0, 128, 2, .. Enumerable.Repeat((byte)'X', 128), 0xC3, 0xA4,
        ]));

    [Theory, InlineData(new byte[] { 1 }), InlineData(new byte[] { 1, 1, 65 }), InlineData(new byte[] { 0x80, 0, 0 })]
    public void A_pair_that_is_cut_off_is_none(byte[] content) =>
        Assert.ThrowsAny<SystemException>(() => RecordCutter.Pairs(content).Count());
}
