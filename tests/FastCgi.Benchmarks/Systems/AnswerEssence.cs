using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace FastCgi.Benchmarks.Systems;

/// <summary>What two right answers have in common, though each server writes it in its own way.</summary>
internal static partial class AnswerEssence
{
    /// <summary>The same JSON in one way of writing it; what is none, as it came.</summary>
    public static string OfJson(byte[] body)
    {
        try
        {
            using var json = JsonDocument.Parse(body);
            return JsonSerializer.Serialize(json.RootElement);
        }
        catch (JsonException)
        {
            return Encoding.UTF8.GetString(body);
        }
    }

    /// <summary>What a visitor reads.</summary>
    public static string OfPage(byte[] body)
    {
        string text = Element().Replace(Encoding.UTF8.GetString(body), " ");
        return Space().Replace(WebUtility.HtmlDecode(text), " ").Trim();
    }

    [GeneratedRegex("<[^>]*>")]
    private static partial Regex Element();

    [GeneratedRegex("\\s+")]
    private static partial Regex Space();
}
