using FastCgi.WebServerTests.Equality;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>One requirement on a server, and a raw request that puts it to the test.</summary>
/// <param name="Section">For example "9110 10.1.1".</param>
/// <param name="Rule">What a server must do, in a few words.</param>
/// <param name="Exchange">The request, and where the two servers are known to differ.</param>
/// <param name="Remark">What the page says beside the answer, where both servers give the same.</param>
internal sealed record RfcRow(string Section, string Rule, EqualityRow Exchange, string Remark = "")
{
    public const string Host = "Host: www.example.com:8080\r\n";

    /// <summary>Each character of <paramref name="request"/> is one byte.</summary>
    public static RfcRow Raw(string section, string rule, string request) =>
        new(section, rule, new EqualityRow($"{section} {rule}", request));

    /// <summary>A GET with a host.</summary>
    public static RfcRow Get(string section, string rule, string target, params IReadOnlyList<string> headers) =>
        Raw(section, rule, $"GET {target} HTTP/1.1\r\n{Host}{string.Concat(headers.Select(h => $"{h}\r\n"))}\r\n");

    /// <summary>Any request with a host.</summary>
    public static RfcRow Of(
        string section, string rule, string line, string body, params IReadOnlyList<string> headers) =>
        Raw(section, rule, $"{line}\r\n{Host}{string.Concat(headers.Select(h => $"{h}\r\n"))}\r\n{body}");

    /// <summary>This row with a remark for the page.</summary>
    public RfcRow Note(string remark) => this with { Remark = remark };

    /// <inheritdoc cref="EqualityRow.But"/>
    public RfcRow But(string reason, params IReadOnlyList<string> aspects) =>
        this with { Exchange = Exchange.But(reason, aspects) };
}
