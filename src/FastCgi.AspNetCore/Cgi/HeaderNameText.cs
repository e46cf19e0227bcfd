namespace FastCgi.AspNetCore.Cgi;

/// <summary>Converts header names between two spellings: <c>X_FORWARDED_FOR</c> and <c>X-Forwarded-For</c>.</summary>
internal static class HeaderNameText
{
    /// <summary>True if the CGI name, without <c>HTTP_</c>, may stand for this header field.</summary>
    public static bool Matches(ReadOnlySpan<char> headerName, ReadOnlySpan<byte> cgiName)
    {
        if (headerName.Length != cgiName.Length)
        {
            return false;
        }

        for (var i = 0; i < headerName.Length; i++)
        {
            if (Fold(headerName[i]) != Fold((char)cgiName[i]))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The name with hyphens in place of underscores; the same object if it has none.</summary>
    [return: NotNullIfNotNull(nameof(name))]
    public static string? WithHyphens(string? name) => name?.Replace('_', '-');

    /// <summary>The usual spelling of an upper-case CGI name: each word begins with a capital.</summary>
    public static string Restore(ReadOnlySpan<byte> cgiName) => string.Create(cgiName.Length, cgiName, Spell);

    /// <summary>As above, for a header name in any case, with hyphens or underscores.</summary>
    public static string Restore(string headerName) => Restore(Encoding.Latin1.GetBytes(headerName));

    private static void Spell(Span<char> name, ReadOnlySpan<byte> cgiName)
    {
        var isWordStart = true;
        for (var i = 0; i < name.Length; i++)
        {
            var character = (char)cgiName[i];
            if (character is '_' or '-')
            {
                name[i] = '-';
                isWordStart = true;
                continue;
            }

            name[i] = isWordStart ? char.ToUpperInvariant(character) : char.ToLowerInvariant(character);
            isWordStart = false;
        }
    }

    /// <summary>Returns the same value for both cases of a letter, and for hyphen and underscore.</summary>
    public static char Fold(char value) =>
        value == '-' ? '_' : char.IsAsciiLetterLower(value) ? (char)(value & ~0x20) : value;
}
