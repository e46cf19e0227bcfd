using BenchmarkDotNet.Attributes;
using FastCgi.AspNetCore.Cgi;

namespace FastCgi.Benchmarks.Micro;

/// <summary>The head of a response: collected, judged and written.</summary>
[MemoryDiagnoser]
public class ResponseHeadBenchmarks
{
    private readonly ResponseHeaderDictionary _headers = new();
    private readonly byte[] _destination = new byte[4096];

    [Benchmark(Description = "type and length")]
    public int Small()
    {
        _headers.Reset();
        _headers["Content-Type"] = "text/plain";
        _headers.ContentLength = 13;
        return Write();
    }

    [Benchmark(Description = "what a page behind sign-in sends")]
    public int Large()
    {
        _headers.Reset();
        _headers["Content-Type"] = "text/html; charset=utf-8";
        _headers["Cache-Control"] = "no-cache, no-store";
        _headers["Pragma"] = "no-cache";
        _headers["Expires"] = "Thu, 01 Jan 1970 00:00:00 GMT";
        _headers["Set-Cookie"] = "session=0123456789abcdef0123456789abcdef; path=/; secure; samesite=lax; httponly";
        _headers["Content-Security-Policy"] = "default-src 'self'; frame-ancestors 'none'";
        _headers["Strict-Transport-Security"] = "max-age=31536000";
        _headers["X-Content-Type-Options"] = "nosniff";
        _headers["X-Request-Number"] = "4711";
        _headers.ContentLength = 20_480;
        return Write();
    }

    private int Write()
    {
        _headers.Freeze();
        var head = new ResponseHead { StatusCode = 200, Headers = _headers };
        return ResponseHeadWriter.TryWrite(_destination, head, out int written, out _)
            ? written
            : throw new InvalidOperationException("The head does not fit.");
    }
}
