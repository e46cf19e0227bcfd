namespace MvcSample.Storage;

/// <summary>Turns the name that a browser sent into one that is safe to store, to list and to put into a URL.</summary>
internal static class UploadName
{
    // File systems take 255 bytes; a letter has at most three in UTF-8.
    private const int MaxLength = 80;

    public static string MakeSafe(string name)
    {
        // Some browsers have sent whole paths, with the separators of their own system.
        var last = name.AsSpan(name.LastIndexOfAny(['/', '\\']) + 1);

        var characters = new char[Math.Min(last.Length, MaxLength)];
        // The end is kept, because of the extension.
        last[^characters.Length..].CopyTo(characters);
        for (var i = 0; i < characters.Length; i++)
        {
            if (!IsAllowed(characters[i]))
            {
                characters[i] = '_';
            }
        }

        var safe = new string(characters).Trim([' ', '.']);
        return safe.Length == 0 ? "unnamed" : safe;
    }

    /// <summary>What <see cref="MakeSafe"/> can have returned, and nothing else.</summary>
    public static bool IsSafe(string name) => MakeSafe(name) == name;

    /// <summary><c>report.pdf</c> becomes <c>report-2.pdf</c>.</summary>
    public static string Numbered(string name, int number)
    {
        // The number stays, however long the rest is.
        var suffix = $"-{number}";
        var extension = Path.GetExtension(name);
        extension = extension[^Math.Min(extension.Length, MaxLength / 2)..];
        var stem = Path.GetFileNameWithoutExtension(name);
        stem = stem[..Math.Min(stem.Length, MaxLength - suffix.Length - extension.Length)];
        return MakeSafe(stem + suffix + extension);
    }

    private static bool IsAllowed(char c) => char.IsLetterOrDigit(c) || c is '.' or '-' or '_' or ' ';
}
