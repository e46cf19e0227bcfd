namespace FastCgi.AspNetCore.Files;

/// <summary>The folders of an endpoint. A file belongs to the folder with the longest matching path.</summary>
internal sealed class HandoverFolders(IEnumerable<HandoverFolder> folders, IEnumerable<string> relayedHeaders)
{
    private readonly HandoverFolder[] _folders =
        [.. folders.OrderByDescending(static folder => folder.Directory.Length)];

    /// <summary>As in Linux: a path with more links is taken for a circle.</summary>
    private const int MaxLinks = 40;

    /// <summary>Response headers that the locations of nginx relay. Other web servers relay all headers.</summary>
    public IReadOnlySet<string> RelayedHeaders { get; } =
        new HashSet<string>(relayedHeaders, StringComparer.OrdinalIgnoreCase);

    /// <summary>Names a file for the web server; null if it is in none of the folders, which may come and go.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="obstacle">The reason why a file in a folder cannot be handed over; null if it can.</param>
    public HandedOverFile? Find(string path, out string? obstacle)
    {
        // As when the file was opened: dot segments are resolved in the text, before any link.
        string fullPath = Path.GetFullPath(path);
        obstacle = null;
        return Array.Find(_folders, folder => folder.Contains(fullPath)) is not { } found ? null
            : HasLinkBelow(fullPath, found.Directory.Length) ? FindTarget(fullPath, out obstacle)
            : Name(found, fullPath[found.Directory.Length..], out obstacle);
    }

    /// <summary>
    /// Finds the folder of a link's target. A link may lead to a place that the web server must not or cannot read, so
    /// the real place of the file counts.
    /// </summary>
    private HandedOverFile? FindTarget(string fullPath, out string? obstacle)
    {
        if (ResolveLinks(fullPath) is { } target)
        {
            foreach (HandoverFolder folder in _folders)
            {
                if (ResolveLinks(folder.Directory) is { } directory
                    && HandoverFolder.WithSeparator(directory) is var prefix
                    && target.StartsWith(prefix, StringComparison.Ordinal))
                {
                    return Name(folder, target[prefix.Length..], out obstacle);
                }
            }
        }

        obstacle = "a link leads out of the folder";
        return null;
    }

    private static HandedOverFile? Name(HandoverFolder folder, string relativePath, out string? obstacle)
    {
        HandedOverFile? file = folder.Name(relativePath);
        obstacle = file is not null ? null
            : "its path has a percent sign, a control character or a space at its end, and web servers differ on those";
        return file;
    }

    // Symbolic links anywhere in a path. The runtime resolves only a link at its end.

    /// <summary>True if a part of the full path after <paramref name="from"/> characters is a link.</summary>
    private static bool HasLinkBelow(string fullPath, int from)
    {
        for (int end = EndOfPart(fullPath, from); ; end = EndOfPart(fullPath, end + 1))
        {
            if (LinkTarget(fullPath[..end]) is not null)
            {
                return true;
            }

            if (end == fullPath.Length)
            {
                return false;
            }
        }
    }

    /// <summary>
    /// Resolves all links of the full path. The result has no separator at its end, and is null for a circle of links.
    /// Missing parts count as no links.
    /// </summary>
    private static string? ResolveLinks(string fullPath)
    {
        string root = Path.GetPathRoot(fullPath)!;
        string resolved = root;
        var parts = new Stack<string>();
        Push(parts, fullPath[root.Length..]);
        for (int links = 0; parts.TryPop(out string? part);)
        {
            if (part is "..")
            {
                // Only in a link's target, where it means the parent of the resolved path so far.
                resolved = Path.GetDirectoryName(resolved) ?? root;
                continue;
            }

            string next = Path.Join(resolved, part);
            if (LinkTarget(next) is not { } target)
            {
                resolved = next;
                continue;
            }

            if (++links > MaxLinks)
            {
                return null;
            }

            if (Path.IsPathRooted(target))
            {
                resolved = root = Path.GetPathRoot(target)!;
                target = target[root.Length..];
            }

            Push(parts, target);
        }

        return resolved;
    }

    /// <summary>The target as written in the link; null if the path is no link.</summary>
    private static string? LinkTarget(string path) => new FileInfo(path).LinkTarget;

    private static void Push(Stack<string> parts, string path)
    {
        foreach (string part in path.Split(Path.DirectorySeparatorChar).Reverse())
        {
            if (part is not ("" or "."))
            {
                parts.Push(part);
            }
        }
    }

    private static int EndOfPart(string path, int from)
    {
        int end = from < path.Length ? path.IndexOf(Path.DirectorySeparatorChar, from) : -1;
        return end < 0 ? path.Length : end;
    }
}
