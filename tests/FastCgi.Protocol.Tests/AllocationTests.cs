namespace FastCgi.Protocol.Tests;

public class AllocationTests
{
    [Fact]
    public void A_whole_request_and_its_answer_allocate_nothing()
    {
        var wire = new RecordBuilder()
            .GetValues("FCGI_MAX_CONNS", "FCGI_MPXS_CONNS")
            .Request(new RequestScript { Body = new byte[5000] })
            .ToArray();
        var output = new byte[256];
        Serve(wire, output);

        var before = GC.GetAllocatedBytesForCurrentThread();
        var work = 0;
        for (var i = 0; i < 100; i++)
        {
            work += Serve(wire, output);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(work > 100 * 5000);
    }

    /// <summary>In pieces of 100 bytes, so that incomplete headers and partial content are measured too.</summary>
    private static int Serve(byte[] wire, byte[] output)
    {
        var reader = new RecordReader();
        var bodies = new FixedBodyReader();
        var query = new GetValuesReader();
        var scanner = new NameValuePairScanner(10000, 1000, 100);
        Span<byte> body = stackalloc byte[FastCgiConstants.FixedBodySize];
        var work = 0;
        for (var at = 0; at < wire.Length; at += 100)
        {
            ReadOnlySpan<byte> received = wire.AsSpan(at, Math.Min(100, wire.Length - at));
            while (reader.TryRead(ref received, out var part))
            {
                work += part.Content.Length;
                switch (part.Header.Type)
                {
                    case RecordType.BeginRequest when bodies.TryRead(part, body):
                        work += BeginRequestBody.TryRead(body, out var begin) && begin.KeepConnection ? 1 : 0;
                        break;
                    case RecordType.Params:
                        work += scanner.TryScan(part.Content) ? 1 : 0;
                        var pairs = new NameValuePairReader(part.Content);
                        while (pairs.TryRead(out var pair))
                        {
                            work += pair.ValueIn(part.Content).Length;
                        }

                        break;
                    case RecordType.GetValues when query.TryRead(part, out var asked):
                        work += new GetValuesResultBody(5, 6, true).Only(asked).WriteRecord(output);
                        break;
                }
            }
        }

        RecordWriter.WriteHeader(output, RecordType.Stdout, 1, 100);
        return work + RecordWriter.WriteEndOfResponse(output, 1, default);
    }
}
