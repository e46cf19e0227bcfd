namespace FastCgi.AspNetCore.Files;

// Symbolic links anywhere in a path, of which the runtime resolves only one at its end.
internal sealed partial class HandoverFolders
{
    /// <summary>As Linux: more than this in one path are a circle.</summary>
    private const int MaxLinks = 40;

    /// <summary>Whether a part of the full path after <paramref name="from"/> characters is a link.</summary>
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
    /// The full path without links, without a separator at its end; null where links go round in a circle. What does
    /// not exist is no link.
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
                // Only a link's target has it, and there it means the directory above where the link has led so far.
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

    /// <summary>As it stands in the link; null where the path is none.</summary>
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
