using FastCgi.WebServerTests.Equality;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>One requirement on a server, and a raw request that puts it to the test.</summary>
/// <param name="Section">For example "9110 10.1.1".</param>
/// <param name="Rule">What a server must do, in a few words.</param>
/// <param name="Request">Each character is one byte.</param>
internal sealed record RfcRow(string Section, string Rule, string Request) : EqualityRow($"{Section} {Rule}", Request)
{
    public const string Host = "Host: www.example.com:8080\r\n";

    /// <summary>What the page says beside the answer, where both servers give the same.</summary>
    public string Remark { get; private init; } = "";

    public static RfcRow Raw(string section, string rule, string request) => new(section, rule, request);

    /// <summary>A GET with a host.</summary>
    public static RfcRow Get(string section, string rule, string target, params IReadOnlyList<string> headers) =>
        Of(section, rule, $"GET {target} HTTP/1.1", "", headers);

    /// <summary>Any request with a host.</summary>
    public static RfcRow Of(
        string section, string rule, string line, string body, params IReadOnlyList<string> headers) =>
        Raw(section, rule, Of(rule, line, body, headers).Request);

    /// <summary>This row with a remark for the page.</summary>
    public RfcRow Note(string remark) => this with { Remark = remark };

    /// <inheritdoc cref="EqualityRow.But"/>
    public new RfcRow But(string reason, params IReadOnlyList<string> aspects) => (RfcRow)base.But(reason, aspects);
}
