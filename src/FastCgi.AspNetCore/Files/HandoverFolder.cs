namespace FastCgi.AspNetCore.Files;

/// <summary>A folder whose files the web server can send itself, and how it wants to be told of one.</summary>
internal sealed class HandoverFolder
{
    public const string XAccelRedirect = "X-Accel-Redirect";
    public const string XSendfile = "X-Sendfile";

    /// <summary>The internal location of nginx, percent-encoded; null where files are named by their path.</summary>
    private readonly string? _encodedPrefix;

    private HandoverFolder(string directory, string? encodedPrefix) =>
        (Directory, _encodedPrefix) = (directory, encodedPrefix);

    /// <summary>The full path, with a separator at its end: <c>/srv/files2</c> is outside.</summary>
    public string Directory { get; }

    /// <summary>For nginx: the folder is the URI prefix of an internal location.</summary>
    /// <exception cref="ArgumentException">The directory or the prefix cannot be used.</exception>
    public static HandoverFolder ByUri(string directory, string uriPrefix)
    {
        string full = MakeFull(directory);
        ArgumentException.ThrowIfNullOrEmpty(uriPrefix);
        string prefix = uriPrefix.EndsWith('/') ? uriPrefix : uriPrefix + '/';
        if (prefix[0] != '/' || prefix.Length == 1
            || prefix.Split('/')[1..^1].Any(static part => part is "" or "." or ".."))
        {
            throw new ArgumentException(
                $"The URI prefix '{uriPrefix}' must be that of an internal location in nginx, such as '/_files/': it " +
                "begins with a slash, is more than a slash, and has no empty and no dot segments.",
                nameof(uriPrefix));
        }

        return new HandoverFolder(full, Encode(prefix, '/'));
    }

    /// <summary>For Apache and lighttpd: files are named by their full path.</summary>
    /// <exception cref="ArgumentException">The directory cannot be used.</exception>
    public static HandoverFolder ByPath(string directory) => new(MakeFull(directory), encodedPrefix: null);

    /// <summary>A directory as a prefix of what is in it.</summary>
    public static string WithSeparator(string directory) =>
        Path.EndsInDirectorySeparator(directory) ? directory : directory + Path.DirectorySeparatorChar;

    public bool Contains(string fullPath) => fullPath.StartsWith(Directory, StringComparison.Ordinal);

    /// <summary>Names a file for the web server; null where there is no way to name it.</summary>
    /// <param name="relativePath">Below <see cref="Directory"/>, without dot segments.</param>
    public HandedOverFile? Name(string relativePath)
    {
        if (_encodedPrefix is not null)
        {
            return new HandedOverFile(
                XAccelRedirect, _encodedPrefix + Encode(relativePath, Path.DirectorySeparatorChar));
        }

        string path = Directory + relativePath;
        return IsSameWhenDecoded(path) ? new HandedOverFile(XSendfile, path) : null;
    }

    /// <summary>
    /// lighttpd and mod_xsendfile 1.0 decode the path, mod_xsendfile 0.12 does not. So it is given as it is, and a path
    /// that decoding would change, or that is no value of a header, cannot be named.
    /// </summary>
    private static bool IsSameWhenDecoded(string path) =>
        !path.EndsWith(' ') && !path.Contains('%', StringComparison.Ordinal) && !path.Any(char.IsControl);

    /// <summary>
    /// nginx decodes the value. Everything but letters, digits and <c>-._~</c> is encoded, so that no name can end
    /// the header, begin a query or be an escape sequence.
    /// </summary>
    private static string Encode(string path, char separator) =>
        string.Join('/', path.Split(separator).Select(Uri.EscapeDataString));

    private static string MakeFull(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        if (!Path.IsPathFullyQualified(directory))
        {
            throw new ArgumentException(
                $"The directory '{directory}' must be absolute, since the web server has to find it too: for a " +
                "folder of the application give Path.Combine(builder.Environment.ContentRootPath, ...).",
                nameof(directory));
        }

        return WithSeparator(Path.GetFullPath(directory));
    }
}

/// <summary>How the web server is told of a file: the response header, and the file's name in it.</summary>
internal readonly record struct HandedOverFile(string HeaderName, string HeaderValue);
