namespace FastCgi.Protocol.Tests;

public class FixedBodyReaderTests
{
    [Fact]
    public void Gathers_the_body_at_every_split_also_the_second_time()
    {
        byte[] body = [0, 1, 1, 2, 3, 4, 5, 6];
        var record = new RecordBuilder().Record(1, 1, body, padding: 3).ToArray();
        foreach (var pieces in Splits.All(record))
        {
            var records = new RecordReader();
            var bodies = new FixedBodyReader();
            for (var time = 0; time < 2; time++)
            {
                Assert.Equal(body, Read(ref records, ref bodies, pieces));
            }
        }
    }

    [Theory, InlineData(0), InlineData(7), InlineData(9), InlineData(16), InlineData(65535)]
    public void Another_length_than_eight_is_a_violation_as_soon_as_declared(int length)
    {
        var records = new RecordReader();
        var bodies = new FixedBodyReader();
        var header = new RecordBuilder().Record(1, 1, new byte[length]).ToArray().AsMemory(0, 8);

        Assert.Null(Read(ref records, ref bodies, [header]));
        Assert.Equal(ProtocolViolation.BodyLength, bodies.Violation);
    }

    private static byte[]? Read(
        ref RecordReader records, ref FixedBodyReader bodies, IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        byte[]? body = null;
        var memory = DirtyMemory.OfLength(8);
        foreach (var piece in pieces)
        {
            ReadOnlySpan<byte> received = piece.Span;
            while (records.TryRead(ref received, out var part))
            {
                if (bodies.TryRead(part, memory))
                {
                    Assert.Null(body);
                    body = memory;
                }
            }
        }

        return body;
    }
}
