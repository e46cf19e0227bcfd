using System.Text;

namespace FastCgi.Benchmarks.Curves;

/// <summary>All curves, in the order of the page.</summary>
internal static class CurveCatalog
{
    private const long Kibibyte = 1024;
    private const long Mebibyte = 1024 * Kibibyte;
    private const int ConnectionsWithBytes = 4;
    private const string Plaintext = "/plaintext";

    private static readonly byte[] s_helloWorld = "Hello, World!"u8.ToArray();

    private static readonly long[] s_sizes =
    [
        0, Kibibyte, 16 * Kibibyte, 64 * Kibibyte, 256 * Kibibyte, Mebibyte, 10 * Mebibyte, 100 * Mebibyte,
    ];

    private static readonly long[] s_labelledSizes = [0, Kibibyte, 64 * Kibibyte, Mebibyte, 100 * Mebibyte];

    public static IReadOnlyList<Curve> All { get; } =
    [
        new("connections", "Connections")
        {
            Text = "A GET that is answered with 13 bytes, one at a time on each kept connection.",
            ValueTitle = "connections",
            Values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000],
            LabelledValues = [1, 4, 16, 64, 256, 1000],
            Format = Count,
            IsLogarithmic = true,
            Variants = ByRecords(OnConnections),
        },
        new("params", "Params")
        {
            Text = $"The same on 32 connections. {CurveRequest.UsualParams} params are what nginx sends with its own "
                + "file and one header; of the further ones, every second is a header.",
            ValueTitle = "params",
            Values = [10, 20, 50, 100, 150, 200],
            LabelledValues = [10, 50, 100, 150, 200],
            Format = Count,
            Variants = ByRecords(static count => new()
            {
                Request = CurveRequest.GetWithParams(Plaintext, (int)count),
                Body = s_helloWorld,
            }),
        },
        new("param-bytes", "Size of the params")
        {
            Text = "The same with bytes beside the usual params, in pairs of 1 KiB.",
            ValueTitle = "bytes of further params",
            Values = [0, Kibibyte, 4 * Kibibyte, 16 * Kibibyte, 32 * Kibibyte, 48 * Kibibyte, 64 * Kibibyte],
            LabelledValues = [0, 16 * Kibibyte, 32 * Kibibyte, 48 * Kibibyte, 64 * Kibibyte],
            Format = Size,
            Variants = ByRecords(static length => new()
            {
                Request = CurveRequest.GetWithParamBytes(Plaintext, (int)length),
                Body = s_helloWorld,
            }),
        },
        new("bodies", "Request bodies")
        {
            Text = $"A POST whose body is read to its end, on {ConnectionsWithBytes} connections, in records of 32 KiB "
                + "as nginx cuts them. `cat` reads as many bytes from its socket and writes them to `/dev/null`.",
            ValueTitle = "bytes of the body",
            Values = s_sizes,
            LabelledValues = s_labelledSizes,
            Format = Size,
            IsLogarithmic = true,
            IsOfBytes = true,
            Variants =
            [
                .. ByRecords(static length => new()
                {
                    Connections = ConnectionsWithBytes,
                    Request = CurveRequest.Post("/upload", length),
                    UploadLength = length,
                    Body = Encoding.ASCII.GetBytes($"bytes={length}"),
                }),
                ByCat(static length => new()
                {
                    Connections = ConnectionsWithBytes,
                    Request = CurveRequest.CatOrder('u', length),
                    UploadLength = length,
                    DownloadLength = 1,
                    IsBare = true,
                }),
            ],
        },
        new("responses", "Responses")
        {
            Text = $"A GET that is answered with as many bytes, written in pieces of 64 KiB, on {ConnectionsWithBytes} "
                + "connections. `cat` reads as many from a file and writes them to its socket.",
            ValueTitle = "bytes of the response's body",
            Values = s_sizes,
            LabelledValues = s_labelledSizes,
            Format = Size,
            IsLogarithmic = true,
            IsOfBytes = true,
            Variants =
            [
                .. ByRecords(static length => new()
                {
                    Connections = ConnectionsWithBytes,
                    Request = CurveRequest.Get($"/bytes/{length}"),
                    DownloadLength = length,
                }),
                ByCat(static length => new()
                {
                    Connections = ConnectionsWithBytes,
                    Request = CurveRequest.CatOrder('d', length),
                    DownloadLength = length,
                    IsBare = true,
                }),
            ],
        },
        new("multiplexed", "Multiplexed requests")
        {
            Text = "The GET again, as many at a time on one connection; and beside it on as many connections, one on "
                + "each. The floor does not multiplex: it is there with connections only.",
            ValueTitle = "requests at a time",
            Values = [1, 2, 4, 8, 16],
            LabelledValues = [1, 2, 4, 8, 16],
            Format = Count,
            IsLogarithmic = true,
            Variants =
            [
                new("multiplexed", IsMultiplexing, static atATime => new()
                {
                    Connections = 1,
                    AtATime = (int)atATime,
                    Request = CurveRequest.Get(Plaintext),
                    Body = s_helloWorld,
                }),
                new("connections", static target => target != TargetCatalog.Cat, OnConnections),
            ],
        },
    ];

    private static CurveLoad OnConnections(long connections) => new()
    {
        Connections = (int)connections,
        Request = CurveRequest.Get(Plaintext),
        Body = s_helloWorld,
    };

    private static bool IsMultiplexing(string target) => target is not (TargetCatalog.Floor or TargetCatalog.Cat);

    private static IReadOnlyList<CurveVariant> ByRecords(Func<long, CurveLoad> load) =>
        [new(null, static target => target != TargetCatalog.Cat, load)];

    /// <summary>No bytes are no work for <c>cat</c>.</summary>
    private static CurveVariant ByCat(Func<long, CurveLoad> load) =>
        new(null, static target => target == TargetCatalog.Cat, length => length == 0 ? null : load(length));

    private static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Size(long bytes) => bytes switch
    {
        0 => "0",
        < Mebibyte => $"{bytes / Kibibyte} KiB",
        _ => $"{bytes / Mebibyte} MiB",
    };
}
