namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// A request, and what a site that works answers: <c>GET /a Name=value => status=200; target=/a</c>. A name that is
/// neither <c>status</c>, <c>text</c> nor <c>cookies</c> is a line of the application's answer.
/// </summary>
internal sealed record CorpusAsk(
    string Method,
    string Target,
    IReadOnlyList<(string Name, string Value)> Headers,
    IReadOnlyList<(string Name, string Value)> Expected)
{
    public string Body { get; init; } = "";

    public static CorpusAsk Parse(string line)
    {
        var (request, answer) = Cut(line, " => ");
        var words = request.Split(' ');
        return new CorpusAsk(
            words[0],
            words[1],
            [.. words[2..].Select(static word => Cut(word, "="))],
            [.. answer.Split("; ").Select(static part => Cut(part, "="))]);
    }

    private static (string, string) Cut(string text, string separator)
    {
        var at = text.IndexOf(separator, StringComparison.Ordinal);
        return (text[..at], text[(at + separator.Length)..]);
    }
}
