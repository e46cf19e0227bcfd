using FastCgi.AspNetCore;
using BenchmarkDotNet.Attributes;
using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;

namespace FastCgi.Benchmarks.Micro;

/// <summary>The params of one request: judged, indexed, made a request of, decoded as far as somebody asks.</summary>
[MemoryDiagnoser]
public class ParamsBenchmarks
{
    private readonly byte[] _params = BenchmarkRequest.Params;
    private readonly CgiRequest _request = new(new FastCgiServerOptions());
    private readonly CgiRequest _requestWithoutReuse = new(new FastCgiServerOptions { DisableStringReuse = true });

    [Benchmark(Description = "judge the sizes of the pairs")]
    public bool Scan() => new NameValuePairScanner(128 * 1024, 128 * 1024, 300).TryScan(_params);

    [Benchmark(Description = "index the pairs")]
    public int Index()
    {
        Fill(_request);
        return _request.Params.Count;
    }

    [Benchmark(Description = "index, and find method, target, path and host")]
    public int Load() => LoadInto(_request);

    [Benchmark(Description = "the same, and enumerate all headers, strings reused")]
    public int EnumerateHeaders() => LoadInto(_request) + Enumerate(_request);

    [Benchmark(Description = "the same, without reuse of strings")]
    public int EnumerateHeadersWithoutReuse() => LoadInto(_requestWithoutReuse) + Enumerate(_requestWithoutReuse);

    private int LoadInto(CgiRequest request)
    {
        Fill(request);
        return request.Load() is null
            ? request.Path.Length + request.Host!.Length
            : throw new InvalidOperationException("The request of the benchmark was rejected.");
    }

    private void Fill(CgiRequest request)
    {
        request.Reset();
        request.Params.SetBuffer(_params);
        var pairs = new NameValuePairReader(_params);
        while (pairs.TryRead(out var pair))
        {
            request.Params.Add(pair.NameOffset, pair.NameLength, pair.ValueOffset, pair.ValueLength);
        }
    }

    private static int Enumerate(CgiRequest request)
    {
        int length = 0;
        foreach (var header in new RequestHeaderDictionary(new CgiRequestLease(request)))
        {
            length += header.Value.Count;
        }

        return length;
    }
}
