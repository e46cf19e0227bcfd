namespace FastCgi.AspNetCore.Cgi;

/// <summary>Makes a client's value safe for a log.</summary>
internal static class RejectedValue
{
    private const int MaxLength = 64;

    /// <summary>The value in escaped printable ASCII, cut at <paramref name="maxLength"/>.</summary>
    public static string Escape(ReadOnlySpan<byte> value, int maxLength = MaxLength) =>
        Append(new StringBuilder(), value, maxLength).ToString();

    /// <summary>The text, followed by the name and the value. All but printable ASCII is escaped.</summary>
    public static string Describe(string detail, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        var text = new StringBuilder(detail).Append(' ');
        if (!name.IsEmpty)
        {
            Append(text, name).Append(": ");
        }

        return Append(text.Append('\''), value).Append('\'').ToString();
    }

    private static StringBuilder Append(StringBuilder text, ReadOnlySpan<byte> value, int maxLength = MaxLength)
    {
        foreach (var character in value[..Math.Min(value.Length, maxLength)])
        {
            if (character is >= 0x20 and < 0x7F and not (byte)'\\' and not (byte)'\'')
            {
                text.Append((char)character);
            }
            else
            {
                text.Append(CultureInfo.InvariantCulture, $"\\x{character:X2}");
            }
        }

        return value.Length > maxLength ? text.Append("...") : text;
    }
}
