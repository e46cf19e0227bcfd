namespace FastCgi.Tool.Requests;

/// <summary>The URL of a request. Its target is sent as typed: dot segments and doubled slashes are kept.</summary>
internal static class RequestTarget
{
    private const string LocalOrigin = "http://localhost";

    /// <exception cref="ToolException">The text is neither a URL nor a path.</exception>
    public static (Uri Uri, string Target) Parse(string text)
    {
        string url = text == "*" || text.StartsWith('/') ? LocalOrigin + (text == "*" ? "/" : text) : text;
        if (!url.Contains("://", StringComparison.Ordinal))
        {
            url = $"http://{url}";
        }

        if (!Uri.TryCreate(url, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https"))
        {
            throw ToolException.Usage(
                $"'{text}' is no URL. Write a path like /orders?page=2, or https://www.example.com/orders.");
        }

        int path = url.IndexOfAny(['/', '?'], url.IndexOf("://", StringComparison.Ordinal) + 3);
        string target = path < 0 ? "/" : url[path] == '?' ? $"/{url[path..]}" : url[path..];
        int fragment = target.IndexOf('#', StringComparison.Ordinal);
        return (uri, text == "*" ? "*" : fragment < 0 ? target : target[..fragment]);
    }
}
