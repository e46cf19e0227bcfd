namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>How many letters to insert, remove or replace until one word is the other (Levenshtein).</summary>
internal static class EditDistance
{
    public static string Nearest(string word, IEnumerable<string> candidates) =>
        candidates.MinBy(candidate => Between(word, candidate))!;

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
}
