namespace FastCgi.AspNetCore.Cgi;

/// <summary>Which params the client can make: no identity may be read from them.</summary>
internal static class ClientMadeParam
{
    /// <summary>
    /// The name is that of a header field (RFC 3875, section 4.1.18), in any case, with hyphens too, and as Apache
    /// renames it when it redirects within itself.
    /// </summary>
    public static bool IsName(ReadOnlySpan<char> name)
    {
        const string Redirected = "REDIRECT_";
        while (name.StartsWith(Redirected, StringComparison.OrdinalIgnoreCase))
        {
            name = name[Redirected.Length..];
        }

        return name.StartsWith("HTTP_", StringComparison.OrdinalIgnoreCase)
            || name.StartsWith("HTTP-", StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The name, unless a client could make the param.</summary>
    /// <param name="name">Null is let through, as none.</param>
    /// <param name="option">What is to be set to the name.</param>
    /// <param name="example">A name that would do.</param>
    /// <exception cref="ArgumentException">It is that of a header field, or white space.</exception>
    public static string? Refuse(string? name, string option, string example)
    {
        if (name is null || (!string.IsNullOrWhiteSpace(name) && !IsName(name)))
        {
            return name;
        }

        throw new ArgumentException(
            $"{option} must name a param that only the web server can send, such as {example}; '{name}' is a header, " +
            "which any client can send, or no name.", nameof(name));
    }
}
