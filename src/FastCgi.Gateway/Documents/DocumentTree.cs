namespace FastCgi.Gateway.Documents;

/// <summary>
/// Finds the file of a path below a document root, as nginx does with <c>try_files $uri $uri/</c>, a front controller
/// and <c>fastcgi_split_path_info</c>. Symbolic links are followed, wherever they lead.
/// </summary>
/// <remarks>
/// The rest of the pipeline has checked this path. Another spelling of the same file, such as one with a doubled slash,
/// would evade the rules of other routes, so it finds nothing here. The same applies to PATH_INFO.
/// </remarks>
internal sealed class DocumentTree(string root, string[] extensions, string[] indexes, string? frontController)
{
    private readonly string _root = root.TrimEnd('/', Path.DirectorySeparatorChar);

    /// <summary>Finds the file of a path. A missing script is not found, even if there is a front controller.</summary>
    /// <param name="path">Decoded, below the mount point; empty, or with a leading slash.</param>
    public DocumentMatch Find(string path)
    {
        int end = EndOfScript(path);
        string file = end > 0 ? path[..end] : path;
        if (!IsPlain(file) || !IsNormal(path[file.Length..]) || path.Contains('\0', StringComparison.Ordinal))
        {
            return end > 0 ? default : Fallback();
        }

        if (end > 0)
        {
            return new(HasFile(file) ? DocumentKind.Script : DocumentKind.None, path);
        }

        if (path is [.., '/'])
        {
            return Directory.Exists(_root + path) ? FindIndex(path) : Fallback();
        }

        return path.Length > 0 && HasFile(path) ? new(DocumentKind.File, path)
            : Directory.Exists(_root + path) ? new(DocumentKind.DirectoryWithoutSlash)
            : Fallback();
    }

    /// <summary>True for the name of a script, in any case: its source is never sent.</summary>
    public bool IsSource(string path) => extensions.Any(
        extension => path.EndsWith(extension, StringComparison.OrdinalIgnoreCase));

    /// <summary>True if no segment is empty, begins with a dot, or is changed by the file system.</summary>
    private static bool IsPlain(string path)
    {
        if (path.Length == 0)
        {
            return true;
        }

        ReadOnlySpan<char> rest = path.AsSpan(1);
        foreach (Range range in rest.Split('/'))
        {
            ReadOnlySpan<char> segment = rest[range];
            bool isLast = range.End.GetOffset(rest.Length) == rest.Length;
            if ((segment.IsEmpty && !isLast)
                || (segment is ['.', ..] && !segment.SequenceEqual(".well-known"))
                || segment.Contains('\\')
                || (OperatingSystem.IsWindows() && (segment is [.., '.' or ' '] || segment.Contains(':'))))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>PATH_INFO is passed on as it is: no slashes are merged and no dots resolved.</summary>
    private static bool IsNormal(string pathInfo) =>
        !pathInfo.Contains("//", StringComparison.Ordinal)
        && !pathInfo.Split('/').Any(static segment => segment is "." or "..");

    private DocumentMatch FindIndex(string directory)
    {
        foreach (string index in indexes)
        {
            if (HasFile(directory + index))
            {
                return new(EndOfScript(index) > 0 ? DocumentKind.Script : DocumentKind.File, directory + index);
            }
        }

        return new(DocumentKind.DirectoryWithoutIndex);
    }

    private DocumentMatch Fallback() =>
        frontController is not null ? new(DocumentKind.Script, frontController) : new(DocumentKind.None);

    /// <summary>The end of the first segment with such an extension and more than it; 0 if there is none.</summary>
    private int EndOfScript(string path)
    {
        for (int start = 0; start < path.Length;)
        {
            int slash = path.IndexOf('/', start + 1);
            int end = slash < 0 ? path.Length : slash;
            ReadOnlySpan<char> segment = path.AsSpan(start, end - start).TrimStart('/');
            foreach (string extension in extensions)
            {
                if (segment.Length > extension.Length && segment.EndsWith(extension, StringComparison.Ordinal))
                {
                    return end;
                }
            }

            start = end;
        }

        return 0;
    }

    private bool HasFile(string path) => File.Exists(_root + path);
}
