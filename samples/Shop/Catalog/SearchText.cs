using System.Text;

namespace ShopSample.Catalog;

/// <summary>
/// Search by words, all of which must occur. Both sides are lower-cased here: the three databases disagree about
/// what <c>LIKE</c> and <c>LOWER</c> do to letters beyond ASCII.
/// </summary>
internal static class SearchText
{
    /// <summary>Further words are ignored; a search is a handful of them.</summary>
    private const int MaxWords = 6;

    /// <summary>What stands before a <c>%</c> or <c>_</c> that means itself.</summary>
    public const char Escape = '!';

    public static string Of(params ReadOnlySpan<string> parts) => string.Join(' ', parts).ToLowerInvariant();

    /// <returns>A pattern for <c>LIKE</c> for each word.</returns>
    public static IReadOnlyList<string> PatternsOf(string search) =>
    [
        .. search.ToLowerInvariant()
            .Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)
            .Take(MaxWords)
            .Select(PatternOf),
    ];

    private static string PatternOf(string word)
    {
        var pattern = new StringBuilder("%");
        foreach (var letter in word)
        {
            if (letter is '%' or '_' or Escape)
            {
                pattern.Append(Escape);
            }

            pattern.Append(letter);
        }

        return pattern.Append('%').ToString();
    }
}
