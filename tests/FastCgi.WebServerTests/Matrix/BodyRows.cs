using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>Request bodies of several sizes, with a length and in chunks.</summary>
internal static class BodyRows
{
    private const string Refused = "refused";
    private const int HaproxyBuffer = 16 * 1024;

    private const string ByHaproxy =
        "HAProxy 2.6 answers 400 to a body without a length that is larger than its buffer of 16 KiB (`tune.bufsize`).";

    private static readonly (string Name, int Length)[] _sizes =
        [("0 bytes", 0), ("1 byte", 1), ("16 KiB", 16 * 1024), ("1 MiB", 1024 * 1024), ("10 MiB", 10 * 1024 * 1024)];

    public static IReadOnlyList<Row> All { get; } =
    [
        .. _sizes.Select(size => Post($"body of {size.Name}", size.Length, isChunked: false)),
        .. _sizes.Select(static size => (size.Length, Row: Post($"body of {size.Name} in chunks", size.Length, true)))
            .Select(static one => one.Length < HaproxyBuffer
                ? one.Row
                : one.Row.But(MatrixColumns.Haproxy, Refused, ByHaproxy)),
        Of("Expect: 100-continue", ExpectAsync, "100, then 3 bytes"),
        Of("413 before the body was read", RefuseAsync, "413 too much"),
    ];

    private static Row Post(string name, int length, bool isChunked)
    {
        var body = new TestBytes(length);
        return Of(name, AskAsync, $"{length} bytes");

        async Task<string> AskAsync(MatrixSite site)
        {
            using var content = new TestContent(body, isChunked);
            HttpResponseMessage answer;
            try
            {
                answer = await site.Client.PostAsync(new Uri("/", UriKind.Relative), content)
                    .Within("the answer", site.Log, MatrixSite.Patience);
            }
            catch (HttpRequestException)
            {
                // An answer may be lost to the client while it is sending.
                return Refused;
            }

            using var _ = answer;
            if (answer.StatusCode != HttpStatusCode.OK)
            {
                return (int)answer.StatusCode is >= 400 and < 500 ? Refused : $"{(int)answer.StatusCode}";
            }

            var seen = (await answer.Content.ReadFromJsonAsync<Seen>())!;
            var length = isChunked || seen.Length == body.Length ? "" : $", announced {seen.Length}";
            return $"{seen.BodyLength} bytes{length}{(seen.BodyHash == body.Hash() ? "" : ", damaged")}";
        }
    }

    private static async Task<string> ExpectAsync(MatrixSite site)
    {
        await using var client = await site.ConnectAsync(
            Request("POST", "/", "Content-Length: 3", "Expect: 100-continue"));
        var interim = await client.ReadHeadAsync();
        await client.SendAsync("abc");
        var seen = MatrixSite.Read(await client.ReadResponseAsync());
        return $"{interim.Status}, then {seen.BodyLength} bytes";
    }

    private static Task<string> RefuseAsync(MatrixSite site)
    {
        const int Length = 1_000_000;
        return site.GotAsync(
            Request("POST", "/refuse", $"Content-Length: {Length}") + new string('b', Length),
            response => $"{response.Status} {response.Text}");
    }
}
