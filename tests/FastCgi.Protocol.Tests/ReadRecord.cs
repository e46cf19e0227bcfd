namespace FastCgi.Protocol.Tests;

/// <summary>A record joined from its parts, and the loop of a connection that joins them.</summary>
internal sealed record ReadRecord(RecordHeader Header, string Content)
{
    public static ReadRecord Of(int type, int id, ReadOnlySpan<byte> content, int padding = 0) =>
        new(
            new RecordHeader((RecordType)type, (ushort)id, (ushort)content.Length, (byte)padding),
            Convert.ToHexString(content));

    /// <summary>Reads the pieces one after the other, and checks what must hold of every part.</summary>
    public static IReadOnlyList<ReadRecord> All(ref RecordReader reader, IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        List<ReadRecord> records = [];
        List<byte> content = [];
        var isInside = false;
        foreach (var piece in pieces)
        {
            // A copy that goes dirty: the reader must not depend on a buffer that was given back.
            var buffer = piece.ToArray();
            ReadOnlySpan<byte> received = buffer;
            while (reader.TryRead(ref received, out var part))
            {
                Assert.Equal(!isInside, part.IsFirst);
                isInside = !part.IsLast;
                content.AddRange(part.Content);
                Assert.Equal(content.Count == part.Header.ContentLength, part.IsLast);
                if (part.IsLast)
                {
                    records.Add(new ReadRecord(part.Header, Convert.ToHexString([.. content])));
                    content.Clear();
                }
            }

            Assert.True(received.IsEmpty || reader.Violation != ProtocolViolation.None, "Bytes were left over.");
            buffer.AsSpan().Fill(DirtyMemory.Dirt);
        }

        return records;
    }
}
