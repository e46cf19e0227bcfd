using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using CrudApiSample.Catalogues;

namespace CrudApiSample.Queries;

/// <summary>Values of columns from the texts of paths and query strings.</summary>
internal static class ColumnValue
{
    private const int DigitsOfDecimal = 28;

    private static readonly string[] _dateTimes =
        ["yyyy-MM-ddTHH:mm:ss.FFFFFFF", "yyyy-MM-dd HH:mm:ss.FFFFFFF", "yyyy-MM-ddTHH:mm", "yyyy-MM-dd"];

    private static readonly string[] _times = ["HH:mm:ss.FFFFFFF", "HH:mm"];

    /// <summary>What the values of a column are, to end a sentence.</summary>
    public static string Description(Column column) => column.Kind switch
    {
        ColumnKind.WholeNumber when column.Minimum == long.MinValue => "holds integers",
        ColumnKind.WholeNumber => string.Create(
            CultureInfo.InvariantCulture, $"holds integers from {column.Minimum} to {column.Maximum}"),
        ColumnKind.ExactNumber or ColumnKind.FloatingNumber => "holds numbers",
        ColumnKind.Boolean => "holds true or false",
        ColumnKind.Date => "holds dates as 2024-01-31",
        ColumnKind.Time => "holds times as 23:59:59",
        ColumnKind.DateTime => "holds times as 2024-01-31T23:59:59, without a zone",
        ColumnKind.Instant => "holds times as 2024-01-31T23:59:59Z",
        ColumnKind.Uuid => "holds UUIDs",
        ColumnKind.Binary => "holds bytes, as base64 in a string",
        ColumnKind.Json => "holds JSON",
        _ => "holds texts",
    };

    public static bool TryParse(Column column, string text, [NotNullWhen(true)] out object? value)
    {
        var culture = CultureInfo.InvariantCulture;
        value = column.Kind switch
        {
            ColumnKind.WholeNumber when
                long.TryParse(text, NumberStyles.AllowLeadingSign, culture, out var number) => number,
            ColumnKind.WholeNumber when ulong.TryParse(text, NumberStyles.None, culture, out var number) => number,
            ColumnKind.ExactNumber => ParseExact(text),
            ColumnKind.FloatingNumber when double.TryParse(text, NumberStyles.Float, culture, out var number)
                && double.IsFinite(number) => number,
            ColumnKind.Boolean => text switch { "true" or "1" => true, "false" or "0" => false, _ => (object?)null },
            ColumnKind.Date when DateOnly.TryParseExact(text, "O", out var date) => date,
            ColumnKind.Time when TimeOnly.TryParseExact(text, _times, out var time) => time,
            ColumnKind.DateTime when
                DateTime.TryParseExact(text, _dateTimes, culture, DateTimeStyles.None, out var time) => time,
            ColumnKind.Instant when TryParseInstant(text, out var time) => time,
            ColumnKind.Uuid when Guid.TryParse(text, out var id) => id,
            ColumnKind.Binary => Decode(text),
            // What SQLite compares has a type; a number is what looks like one.
            ColumnKind.Any when long.TryParse(text, NumberStyles.AllowLeadingSign, culture, out var number) => number,
            // No database of ours takes it in a text.
            _ when text.Contains('\0') => null,
            ColumnKind.Text or ColumnKind.Json or ColumnKind.Other or ColumnKind.Any => text,
            _ => null,
        };
        return value is not null;
    }

    /// <summary>A decimal, or the text itself of a number with more digits than that has.</summary>
    public static object? ParseExact(string text)
    {
        const NumberStyles Style =
            NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        return text.Count(char.IsAsciiDigit) <= DigitsOfDecimal
            && decimal.TryParse(text, Style, CultureInfo.InvariantCulture, out var number)
                ? number
                : double.TryParse(text, Style, CultureInfo.InvariantCulture, out _) ? text : null;
    }

    /// <summary>Without an offset it is UTC.</summary>
    private static bool TryParseInstant(string text, out DateTime time)
    {
        var isTime = DateTimeOffset.TryParse(
            text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var instant);
        time = instant.UtcDateTime;
        return isTime && text.Length > 0 && char.IsAsciiDigit(text[0]);
    }

    /// <summary>Base64; that of URLs too, whose padding may be missing.</summary>
    private static byte[]? Decode(string base64)
    {
        if (base64.AsSpan().ContainsAny('-', '_') || base64.Length % 4 > 1)
        {
            base64 = base64.Replace('-', '+').Replace('_', '/').PadRight((base64.Length + 3) / 4 * 4, '=');
        }

        var bytes = new byte[(base64.Length / 4 * 3) + 3];
        return Convert.TryFromBase64String(base64, bytes, out var length) ? bytes[..length] : null;
    }
}
