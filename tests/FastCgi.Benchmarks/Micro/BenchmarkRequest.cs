using FastCgi.TestKit;

namespace FastCgi.Benchmarks.Micro;

/// <summary>The request of all micro benchmarks: what nginx makes of a browser's GET.</summary>
internal static class BenchmarkRequest
{
    public static RequestScript Script { get; } = new()
    {
        Target = "/plaintext?page=2",
        Headers =
        [
            ("Host", "example.test"),
            ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
            ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            ("Accept-Language", "en-US,en;q=0.5"),
            ("Accept-Encoding", "gzip, deflate, br"),
            ("Cookie", "session=0123456789abcdef0123456789abcdef"),
        ],
    };

    /// <summary>The whole request as records.</summary>
    public static byte[] Records { get; } = new RecordBuilder().Request(Script).ToArray();

    /// <summary>The params alone, as the content of their stream.</summary>
    public static byte[] Params { get; } = RecordBuilder.Pairs(Script.ToParams());
}
