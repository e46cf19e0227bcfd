using System.Text;
using FastCgi.TestKit;

namespace FastCgi.Benchmarks.Curves;

/// <summary>The beginnings of what is sent: a request up to its body, and the order to <c>cat</c>.</summary>
internal static class CurveRequest
{
    /// <summary>As many as nginx' own file has, with one header.</summary>
    public const int UsualParams = 17;

    private const int OrderLength = 16;
    private const string Host = "HTTP_HOST";

    /// <summary>A GET, whole.</summary>
    public static byte[] Get(string target) => Get(target, Params(target));

    /// <inheritdoc cref="Get(string)"/>
    public static byte[] Get(string target, IEnumerable<(string Name, string Value)> parameters) =>
        Begin(parameters).EndStdin().ToArray();

    /// <summary>
    /// A POST without its body, whose size the target says too: for those that answer without counting.
    /// </summary>
    public static byte[] Post(string target, long length)
    {
        // The last of a name would win, but no web server sends one twice.
        var usual = Params($"{target}?{Text(length)}")
            .Where(static param => param.Name is not ("REQUEST_METHOD" or "CONTENT_LENGTH"));
        return Begin([.. usual, ("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", Text(length))]).ToArray();
    }

    /// <summary>A GET with so many params: some that it cannot do without, the usual ones, and further ones.</summary>
    /// <param name="count">From ten on. Every second of the further ones is a header.</param>
    public static byte[] GetWithParams(string target, int count)
    {
        var usual = Params(target);
        return Get(target, count < usual.Count
            ? [.. usual.Where(static param => param.Name != Host).Take(count - 1), (Host, "example.test")]
            : [.. usual, .. Enumerable.Range(0, count - usual.Count).Select(static i =>
                ($"{(i % 2 == 0 ? "HTTP_" : "")}X_FURTHER_{i}", $"a value of param {i:D4}"))]);
    }

    /// <summary>
    /// A GET with so many bytes of params beside the usual ones, in pairs of 1 KiB that are no headers.
    /// </summary>
    public static byte[] GetWithParamBytes(string target, int length)
    {
        const int PairSize = 1024;
        const int Lengths = 5; // one byte for the name's length, four for the value's
        return Get(target,
        [
            .. Params(target),
            .. Enumerable.Range(0, length / PairSize).Select(static i => $"X_LARGE_{i:D3}").Select(static name =>
                (name, new string('v', PairSize - Lengths - name.Length))),
        ]);
    }

    /// <summary>An order to <c>cat</c>: <c>d</c> for bytes from it, <c>u</c> for bytes to it.</summary>
    public static byte[] CatOrder(char direction, long length) =>
        Encoding.ASCII.GetBytes($"{direction}{Text(length)}".PadRight(OrderLength, '\0'));

    private static IReadOnlyList<(string Name, string Value)> Params(string target) =>
        new RequestScript { Target = target }.ToParams();

    private static RecordBuilder Begin(IEnumerable<(string Name, string Value)> parameters) =>
        new RecordBuilder().Begin().Params(1, parameters).EndParams();

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
