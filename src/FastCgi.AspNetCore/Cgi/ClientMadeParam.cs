namespace FastCgi.AspNetCore.Cgi;

/// <summary>Recognises params that a client can create. No identity may be read from them.</summary>
internal static class ClientMadeParam
{
    /// <summary>
    /// True for the name of a header field (RFC 3875, section 4.1.18). In any case, with underscores or hyphens, and as
    /// Apache renames it in an internal redirect.
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

    /// <summary>Returns the name unless a client could create the param. Null is returned as null.</summary>
    /// <exception cref="ArgumentException">The name is that of a header field, or whitespace.</exception>
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
