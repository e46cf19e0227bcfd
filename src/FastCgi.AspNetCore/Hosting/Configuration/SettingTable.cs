namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>The keys of one section, with their effect on <typeparamref name="T"/>.</summary>
internal sealed class SettingTable<T>(params (string Name, Action<T, Setting> Apply)[] known)
{
    /// <summary>Applies the keys of the section, and adds the unknown ones to <paramref name="unknown"/>.</summary>
    /// <exception cref="InvalidOperationException">A value cannot be used.</exception>
    public void Apply(IConfiguration section, T target, ICollection<UnknownKey> unknown)
    {
        foreach (IConfigurationSection child in section.GetChildren())
        {
            if (Array.Find(known, key => key.Name.Equals(child.Key, StringComparison.OrdinalIgnoreCase)).Apply
                is { } apply)
            {
                Apply(apply, target, new Setting(child));
            }
            else
            {
                unknown.Add(new UnknownKey(child.Path, Hint(child.Key)));
            }
        }
    }

    private string Hint(string name)
    {
        string[] names = [.. known.Select(static key => key.Name)];
        return EditDistance.Nearest(name, names) is { } nearest
            ? $"Did you mean {nearest}?"
            : $"Known are {string.Join(", ", names)}.";
    }

    /// <summary>Applies one value. If the target refuses it, that is an error of the configuration.</summary>
    /// <exception cref="InvalidOperationException">The value cannot be used.</exception>
    public static void Apply(Action<T, Setting> apply, T target, Setting setting)
    {
        try
        {
            apply(target, setting);
        }
        catch (ArgumentException exception)
        {
            // The setter's message explains the fault. Its name and value are cut off, because our message has them.
            int end = exception.Message.IndexOf(" (Parameter", StringComparison.Ordinal);
            throw setting.Invalid((end < 0 ? exception.Message : exception.Message[..end]).TrimEnd('.'), exception);
        }
    }
}

/// <summary>A key without effect, and a sentence that names the intended key, or all known keys.</summary>
internal sealed record UnknownKey(string Path, string Hint);

/// <summary>The number of letters to insert, remove or replace to turn one word into another (Levenshtein).</summary>
internal static class EditDistance
{
    /// <summary>The candidate that was probably meant; null if none is similar.</summary>
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

    /// <summary>The distance of two words. A name that lacks parts (Mode for UnixMode) is close.</summary>
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
