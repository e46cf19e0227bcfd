using BenchmarkDotNet.Attributes;
using FastCgi.Protocol;
using FastCgi.TestKit;

namespace FastCgi.Benchmarks.Micro;

/// <summary>The codec: cutting what was received, writing what frames a response.</summary>
[MemoryDiagnoser]
public class RecordBenchmarks
{
    private const int ReceiveSize = 16 * 1024;
    private const int NginxRecordSize = 32 * 1024;

    private readonly byte[] _request = BenchmarkRequest.Records;
    private readonly byte[] _upload =
        new RecordBuilder().Stdin(1, new byte[1024 * 1024], NginxRecordSize).EndStdin().ToArray();
    private readonly byte[] _destination = new byte[64];

    [Benchmark(Description = "cut a GET into records")]
    public int CutRequest() => Cut(_request, _request.Length);

    [Benchmark(Description = "cut 1 MiB of STDIN, received 16 KiB at a time")]
    public int CutUpload() => Cut(_upload, ReceiveSize);

    [Benchmark(Description = "write the records around a small response")]
    public int WriteFrame()
    {
        RecordWriter.WriteHeader(_destination, RecordType.Stdout, requestId: 1, contentLength: 100);
        return RecordWriter.WriteEndOfResponse(_destination.AsSpan(FastCgiConstants.HeaderSize), requestId: 1, default);
    }

    private static int Cut(ReadOnlySpan<byte> bytes, int receiveSize)
    {
        var reader = new RecordReader();
        int content = 0;
        while (!bytes.IsEmpty)
        {
            var received = bytes[..Math.Min(receiveSize, bytes.Length)];
            bytes = bytes[received.Length..];
            while (reader.TryRead(ref received, out var part))
            {
                content += part.Content.Length;
            }
        }

        return content;
    }
}
