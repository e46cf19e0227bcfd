namespace FastCgi.Tool.CommandLine;

/// <summary>Finds the known word for a misspelt one.</summary>
internal static class Spelling
{
    /// <summary>The known word with the fewest differences, at most <paramref name="most"/>; null if none.</summary>
    public static string? Nearest(string word, IEnumerable<string> known, int most = 2) => known
        .Where(other => Math.Abs(other.Length - word.Length) <= most)
        .Select(other => (Word: other, Distance: Distance(other, word)))
        .Where(near => near.Distance <= most && near.Distance < near.Word.Length / 2.0)
        .OrderBy(static near => near.Distance)
        .Select(static near => near.Word)
        .FirstOrDefault();

    /// <summary>The number of letters to insert, remove, replace, or exchange with their neighbour.</summary>
    private static int Distance(string left, string right)
    {
        int[,] cost = new int[left.Length + 1, right.Length + 1];
        for (int i = 0; i <= left.Length; i++)
        {
            for (int j = 0; j <= right.Length; j++)
            {
                cost[i, j] = i == 0 || j == 0
                    ? i + j
                    : Math.Min(
                        cost[i - 1, j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1),
                        Math.Min(cost[i - 1, j], cost[i, j - 1]) + 1);
                if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                {
                    cost[i, j] = Math.Min(cost[i, j], cost[i - 2, j - 2] + 1);
                }
            }
        }

        return cost[left.Length, right.Length];
    }
}
