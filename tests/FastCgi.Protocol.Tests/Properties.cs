using FsCheck;
using FsCheck.Fluent;

namespace FastCgi.Protocol.Tests;

/// <summary>What holds for any input. The seed is fixed, so that a failure is a failure every time.</summary>
public class Properties
{
    private static readonly Config _config =
        Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(400).WithReplay(20260101, 1);

    [Fact]
    public void Pairs_survive_any_cut_into_records_and_pieces() =>
        Prop.ForAll<(byte[], byte[])[], PositiveInt, int>((pairs, recordSize, seed) =>
        {
            var stream = Write(pairs);
            var wire = new RecordBuilder().Stream(4, 1, stream, recordSize.Get).EndParams().ToArray();
            var reader = new RecordReader();
            var scanner = new NameValuePairScanner(stream.Length, int.MaxValue, pairs.Length);
            List<byte> joined = [];
            foreach (var record in ReadRecord.All(ref reader, Splits.Random(wire, seed)))
            {
                var content = Convert.FromHexString(record.Content);
                Assert.True(scanner.TryScan(content));
                joined.AddRange(content);
            }

            Assert.True(scanner.IsBetweenPairs);
            Assert.Equal(pairs.Length, scanner.Count);
            Assert.Equal(Hex(pairs), Read([.. joined], out var isTruncated));
            Assert.False(isTruncated);
        }).Check(_config);

    [Fact]
    public void Our_encoding_of_pairs_is_that_of_the_test_kit() =>
        Prop.ForAll<byte[], byte[]>((name, value) =>
            Assert.Equal(RecordBuilder.Pair(name, value), Write([(name, value)]))).Check(_config);

    [Fact]
    public void Random_bytes_are_read_alike_however_they_are_cut() =>
        Prop.ForAll<byte[], int>((bytes, seed) =>
        {
            // Begin as a record does: nearly all random bytes would stop at their first one.
            byte[] wire = [1, 4, 0, 1, 0, 3, .. bytes];
            var whole = new RecordReader();
            var cut = new RecordReader();

            Assert.Equal(
                ReadRecord.All(ref whole, [wire]),
                ReadRecord.All(ref cut, Splits.Random(wire, seed, longest: 5)));
            Assert.Equal(whole.Violation, cut.Violation);
            Assert.Equal(whole.IsBetweenRecords, cut.IsBetweenRecords);
        }).Check(_config);

    [Fact]
    public void Reader_and_scanner_agree_on_random_bytes() =>
        Prop.ForAll<byte[], int>((bytes, seed) =>
        {
            var scanner = new NameValuePairScanner(long.MaxValue, int.MaxValue, int.MaxValue);
            foreach (var piece in Splits.Random(bytes, seed, longest: 5))
            {
                Assert.True(scanner.TryScan(piece.Span));
            }

            var pairs = Read(bytes, out var isTruncated);
            Assert.Equal(!isTruncated, scanner.IsBetweenPairs);
            Assert.InRange(scanner.Count, pairs.Count, pairs.Count + 1);
        }).Check(_config);

    [Fact]
    public void Bodies_and_queries_of_random_bytes_never_throw() =>
        Prop.ForAll<byte[]>(bytes =>
        {
            Assert.Equal(bytes.Length == 8, BeginRequestBody.TryRead(bytes, out _));
            Assert.Equal(bytes.Length == 8, EndRequestBody.TryRead(bytes, out _));
            Assert.Equal(bytes.Length == 8, UnknownTypeBody.TryRead(bytes, out _));
            Read(bytes, out var isTruncated);
            Assert.Equal(!isTruncated, GetValuesResultBody.TryRead(bytes, out _));

            var records = new RecordReader();
            var query = new GetValuesReader();
            ReadOnlySpan<byte> received = new RecordBuilder().Record(9, 0, bytes).ToArray();
            Assert.True(records.TryRead(ref received, out var part));
            Assert.True(query.TryRead(part, out _));
        }).Check(_config);

    private static byte[] Write((byte[] Name, byte[] Value)[] pairs)
    {
        var size = pairs.Sum(pair => NameValuePairWriter.GetSize(pair.Name.Length, pair.Value.Length));
        var memory = DirtyMemory.OfLength((int)size);
        var at = 0;
        foreach (var (name, value) in pairs)
        {
            Assert.True(NameValuePairWriter.TryWrite(memory.AsSpan(at), name, value, out var written));
            at += written;
        }

        Assert.Equal(memory.Length, at);
        return memory;
    }

    private static List<string> Read(byte[] content, out bool isTruncated)
    {
        List<string> pairs = [];
        var reader = new NameValuePairReader(content);
        while (reader.TryRead(out var pair))
        {
            pairs.Add($"{Convert.ToHexString(pair.NameIn(content))}={Convert.ToHexString(pair.ValueIn(content))}");
        }

        isTruncated = reader.IsTruncated;
        return pairs;
    }

    private static List<string> Hex((byte[] Name, byte[] Value)[] pairs) =>
        [.. pairs.Select(pair => $"{Convert.ToHexString(pair.Name)}={Convert.ToHexString(pair.Value)}")];
}
