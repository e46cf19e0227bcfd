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
}
