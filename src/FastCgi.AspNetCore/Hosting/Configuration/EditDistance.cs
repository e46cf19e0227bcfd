namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>How many letters to insert, remove or replace until one word is the other (Levenshtein).</summary>
internal static class EditDistance
{
    /// <summary>The candidate that was probably meant; null when none is like the word.</summary>
    public static string? Nearest(string word, IReadOnlyList<string> candidates)
    {
        string nearest = candidates.MinBy(candidate => Unlikeness(word, candidate))!;
        return Unlikeness(word, nearest) <= word.Length / 2 ? nearest : null;
    }

    public static int Between(string from, string to)
    {
        int[] row = [.. Enumerable.Range(0, to.Length + 1)];
        for (int i = 0; i < from.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i + 1;
            for (int j = 0; j < to.Length; j++)
            {
                int replaced = diagonal + (char.ToUpperInvariant(from[i]) == char.ToUpperInvariant(to[j]) ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = Math.Min(replaced, Math.Min(row[j], diagonal) + 1);
            }
        }

        return row[^1];
    }

    /// <summary>
    /// The distance of a word from a candidate. A name that lacks parts (Mode for UnixMode) is close.
    /// </summary>
    private static int Unlikeness(string word, string candidate) =>
        IsShortened(word, candidate) ? 1 : Between(word, candidate);

    private static bool IsShortened(string word, string candidate)
    {
        int found = 0;
        foreach (char letter in candidate)
        {
            if (found < word.Length && char.ToUpperInvariant(letter) == char.ToUpperInvariant(word[found]))
            {
                found++;
            }
        }

        return found == word.Length;
    }
}
