using System.Globalization;
using System.Text.Json;

namespace CrudApiSample.Databases;

/// <summary>Numbers of which JSON has not all.</summary>
internal static class JsonNumbers
{
    /// <summary>Infinities and NaN become strings.</summary>
    public static void Write(Utf8JsonWriter json, double number)
    {
        if (double.IsFinite(number))
        {
            json.WriteNumberValue(number);
        }
        else
        {
            json.WriteStringValue(number.ToString(CultureInfo.InvariantCulture));
        }
    }

    /// <summary>The digits as they are: more than any type of ours has. PostgreSQL's NaN becomes a string.</summary>
    public static void WriteDigits(Utf8JsonWriter json, string digits)
    {
        if (char.IsAsciiDigit(digits[^1]))
        {
            json.WriteRawValue(digits, skipInputValidation: true);
        }
        else
        {
            json.WriteStringValue(digits);
        }
    }
}
