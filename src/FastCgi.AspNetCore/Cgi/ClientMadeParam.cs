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

    /// <summary>The name, unless a client could make the param. Null is let through, as none.</summary>
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
