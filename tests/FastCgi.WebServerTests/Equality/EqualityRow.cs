namespace FastCgi.WebServerTests.Equality;

/// <summary>One request, sent to both, and where the two are known to differ.</summary>
/// <param name="Name">What the request is about; names the test.</param>
/// <param name="Request">Each character is one byte.</param>
internal record EqualityRow(string Name, string Request, params IReadOnlyList<Difference> Differences)
{
    private const string Host = "Host: www.example.com:8080";

    public static EqualityRow Get(string name, string target, params IReadOnlyList<string> headers) =>
        Of(name, $"GET {target} HTTP/1.1", "", headers);

    public static EqualityRow Post(
        string name, string target, string contentType, string body, params IReadOnlyList<string> headers) =>
        Of(
            name,
            $"POST {target} HTTP/1.1",
            body,
            [$"Content-Type: {contentType}", $"Content-Length: {body.Length}", .. headers]);

    public static EqualityRow Of(string name, string requestLine, string body, params IReadOnlyList<string> headers) =>
        new(name, $"{string.Join("\r\n", [requestLine, Host, .. headers])}\r\n\r\n{body}");

    /// <summary>This row with aspects in which the two differ, and why that is right.</summary>
    public EqualityRow But(string reason, params IReadOnlyList<string> aspects) =>
        this with { Differences = [.. Differences, new Difference(reason, aspects)] };

    public override string ToString() => Name;
}
