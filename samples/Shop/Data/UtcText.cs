using System.Globalization;

namespace ShopSample.Data;

/// <summary>Times as the tables keep them: UTC as ISO 8601, which sorts as text.</summary>
internal static class UtcText
{
    private const string Format = "yyyy-MM-dd'T'HH:mm:ss'Z'";

    public static string Of(DateTimeOffset time) => time.UtcDateTime.ToString(Format, CultureInfo.InvariantCulture);

    public static DateTimeOffset Parse(string text) =>
        DateTimeOffset.ParseExact(text, Format, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
}
