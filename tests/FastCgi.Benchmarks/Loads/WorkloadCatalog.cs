using System.Text;

namespace FastCgi.Benchmarks.Loads;

/// <summary>All workloads, in the order of the tables.</summary>
internal static class WorkloadCatalog
{
    private const string HelloWorld = "Hello, World!";
    private const string Json = """{"message":"Hello, World!"}""";
    private const int Mebibyte = 1024 * 1024;
    private const int FormFields = 8;
    private const int UploadSize = 10 * Mebibyte;
    private const int MostWithLargeBodies = 32;
    private const int Streams = 64;
    private const int EventsOfStream = 100;

    public static IReadOnlyList<Workload> All { get; } =
    [
        new("plaintext", "/plaintext") { Title = "plaintext by middleware, 13 bytes", Check = Is(HelloWorld) },
        new("json", "/json") { Title = "JSON by middleware", Check = Is(Json) },
        new("form", "/form")
        {
            Title = "form post of 1 KiB",
            Body = Form(),
            ContentType = "application/x-www-form-urlencoded",
            Check = Is($"fields={FormFields}"),
        },
        new("mvc-plaintext", "/mvc/plaintext") { Title = "plaintext by MVC", Check = Is(HelloWorld) },
        new("mvc-json", "/mvc/json") { Title = "JSON by MVC", Check = Is(Json) },
        new("page", "/mvc/page") { Title = "Razor page of 20 KiB", Check = IsPage },
        new("download", "/download")
        {
            Title = "download of 1 MiB",
            MostConnections = MostWithLargeBodies,
            Check = Has(Mebibyte),
        },
        new("file", "/file")
        {
            Title = "file of 1 MiB by SendFileAsync",
            MostConnections = MostWithLargeBodies,
            Check = Has(Mebibyte),
        },
        new("upload", "/upload")
        {
            Title = "upload of 10 MiB",
            Body = new byte[UploadSize],
            ContentType = "application/octet-stream",
            MostConnections = MostWithLargeBodies,
            Check = Is($"bytes={UploadSize}"),
        },
        new("events", "/events")
        {
            Title = $"{Streams} event streams, a request is {EventsOfStream} events in a second",
            Connections = Streams,
            LeastDuration = TimeSpan.FromSeconds(5),
            Check = Is(string.Concat(Enumerable.Range(0, EventsOfStream).Select(static i => $"data: {i}\n\n"))),
        },
        new("yield", "/yield") { Title = "plaintext by a handler that awaits once", Check = Is(HelloWorld) },
        new("block", "/block") { Title = "plaintext by a handler that blocks for 5 ms", Check = Is(HelloWorld) },
        Echo("echo", "64 bytes", 64),
        Echo("echo-large", "16 KiB", 16 * 1024),
    ];

    private static Workload Echo(string name, string size, int length) => new(name, EchoWorkload.Path)
    {
        Title = $"echo of {size} by WebSocket",
        Message = [.. Enumerable.Repeat((byte)'x', length)],
        Check = Has(length),
    };

    private static Func<byte[], string?> Is(string expected) => body =>
        body.AsSpan().SequenceEqual(Encoding.UTF8.GetBytes(expected)) ? null : $"other bytes, {body.Length} of them";

    private static Func<byte[], string?> Has(int length) => body =>
        body.Length != length ? $"{body.Length} bytes"
        : body.AsSpan().ContainsAnyExcept((byte)'x') ? "other bytes"
        : null;

    private static string? IsPage(byte[] body) => body.Length is < 19 * 1024 or > 21 * 1024
        ? $"{body.Length} bytes"
        : body.AsSpan().TrimEnd("\r\n"u8).EndsWith("</html>"u8) ? null : "no end of the page";

    private static byte[] Form() => Encoding.ASCII.GetBytes(string.Join(
        '&', Enumerable.Range(0, FormFields).Select(static i => $"field{i}={new string((char)('a' + i), 120)}")));
}
