using System.Globalization;
using System.Text.Json;

namespace CrudApiSample.Databases;

/// <summary>Points in time, as databases write them and as JSON has them.</summary>
internal static class TemporalText
{
    private const int DateLength = 10;
    private const int MaxLength = 40;

    /// <summary>As databases take it; a fraction only where there is one.</summary>
    public const string SqlDateTime = "yyyy-MM-dd HH:mm:ss.FFFFFFF";

    public const string SqlTime = "HH:mm:ss.FFFFFFF";

    /// <summary>
    /// Writes <c>2024-01-31 23:59:59.500000</c> as <c>2024-01-31T23:59:59.5</c>, anything else as it is.
    /// </summary>
    public static void Write(Utf8JsonWriter json, ReadOnlySpan<char> text)
    {
        if (text.Length > MaxLength)
        {
            json.WriteStringValue(text);
            return;
        }

        Span<char> iso = stackalloc char[MaxLength];
        text.CopyTo(iso);
        iso = iso[..text.Length];
        if (iso.Length > DateLength && iso[DateLength] == ' ')
        {
            iso[DateLength] = 'T';
        }

        if (iso.Contains('.'))
        {
            iso = iso.TrimEnd('0').TrimEnd('.');
        }

        json.WriteStringValue(iso);
    }

    /// <summary>The same of UTF-8.</summary>
    public static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> text)
    {
        Span<char> characters = stackalloc char[MaxLength];
        if (System.Text.Encoding.UTF8.TryGetChars(text, characters, out var length))
        {
            Write(json, characters[..length]);
        }
        else
        {
            json.WriteStringValue(text);
        }
    }

    /// <summary>Writes a time, in UTC when it is an instant.</summary>
    public static void Write(Utf8JsonWriter json, DateTime time, bool isInstant)
    {
        Span<char> iso = stackalloc char[MaxLength];
        _ = time.TryFormat(iso, out var length, "yyyy-MM-ddTHH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture);
        if (isInstant)
        {
            iso[length++] = 'Z';
        }

        json.WriteStringValue(iso[..length]);
    }
}
