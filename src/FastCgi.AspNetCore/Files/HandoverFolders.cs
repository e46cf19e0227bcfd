namespace FastCgi.AspNetCore.Files;

/// <summary>The folders of an endpoint; the longest that holds a file is its folder.</summary>
internal sealed partial class HandoverFolders(IEnumerable<HandoverFolder> folders, IEnumerable<string> relayedHeaders)
{
    private readonly HandoverFolder[] _folders =
        [.. folders.OrderByDescending(static folder => folder.Directory.Length)];

    /// <summary>Response headers that the locations of nginx relay. Other web servers relay all.</summary>
    public IReadOnlySet<string> RelayedHeaders { get; } =
        new HashSet<string>(relayedHeaders, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Names a file for the web server; null where it lies in none of the folders. Folders may come and go: they are
    /// looked at with each file.
    /// </summary>
    /// <param name="path">Of the file.</param>
    /// <param name="obstacle">Why a file in a folder cannot be handed over; null if it can.</param>
    public HandedOverFile? Find(string path, out string? obstacle)
    {
        // As the file was opened: dot segments are resolved in the text, before any link.
        string fullPath = Path.GetFullPath(path);
        obstacle = null;
        foreach (HandoverFolder folder in _folders)
        {
            if (folder.Contains(fullPath))
            {
                return HasLinkBelow(fullPath, folder.Directory.Length)
                    ? FindTarget(fullPath, out obstacle)
                    : Name(folder, fullPath[folder.Directory.Length..], out obstacle);
            }
        }

        return null;
    }

    /// <summary>
    /// A link may lead out of the folder, to where the web server must not or may not read: what counts is where the
    /// file is.
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
}
