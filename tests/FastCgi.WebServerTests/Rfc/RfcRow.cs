using FastCgi.WebServerTests.Equality;
using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>Rows of one requirement on a server: its section, the rule in a few words, and a raw request.</summary>
internal static class RfcRow
{
    public const string Host = $"{EqualityRow.Host}\r\n";

    public static Row Raw(string section, string rule, string request) =>
        EqualityRow.Raw($"{section} {rule}", request) with { Section = section };

    /// <summary>A GET with a host.</summary>
    public static Row Get(string section, string rule, string target, params IReadOnlyList<string> headers) =>
        Of(section, rule, $"GET {target} HTTP/1.1", "", headers);

    /// <summary>A POST with a host, whose body the application reads.</summary>
    public static Row Post(string section, string rule, string body, params IReadOnlyList<string> headers) =>
        Of(section, rule, "POST /hash HTTP/1.1", body, headers);

    /// <summary>The same in chunks.</summary>
    public static Row Chunks(string section, string rule, string body, params IReadOnlyList<string> headers) =>
        Post(section, rule, body, ["Transfer-Encoding: chunked", .. headers]);

    /// <summary>Any request with a host.</summary>
    public static Row Of(
        string section, string rule, string line, string body, params IReadOnlyList<string> headers) =>
        Raw(section, rule, Row.RequestOf(line, [EqualityRow.Host, .. headers], body));
}
