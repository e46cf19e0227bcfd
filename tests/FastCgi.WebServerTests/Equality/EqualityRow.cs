using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Rows of one request, of which our server has to make what Kestrel makes.</summary>
internal static class EqualityRow
{
    public const string Host = "Host: www.example.com:8080";

    public static Row Get(string name, string target, params IReadOnlyList<string> headers) =>
        Of(name, $"GET {target} HTTP/1.1", "", headers);

    public static Row Post(
        string name, string target, string contentType, string body, params IReadOnlyList<string> headers) =>
        Of(
            name,
            $"POST {target} HTTP/1.1",
            body,
            [$"Content-Type: {contentType}", $"Content-Length: {body.Length}", .. headers]);

    public static Row Of(string name, string line, string body, params IReadOnlyList<string> headers) =>
        Raw(name, Row.RequestOf(line, [Host, .. headers], body));

    /// <param name="request">Each character is one byte.</param>
    public static Row Raw(string name, string request) =>
        Row.Compared<EqualitySide>(name, request, static (side, sent) => side.ObserveAsync(sent));
}
