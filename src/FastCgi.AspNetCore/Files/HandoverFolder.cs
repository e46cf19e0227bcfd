namespace FastCgi.AspNetCore.Files;

/// <summary>A folder of files that the web server can send itself, and the way to name them.</summary>
internal sealed class HandoverFolder
{
    public const string XAccelRedirect = "X-Accel-Redirect";
    public const string XSendfile = "X-Sendfile";

    /// <summary>The internal location of nginx, percent-encoded; null if files are named by their path.</summary>
    private readonly string? _encodedPrefix;

    private HandoverFolder(string directory, string? encodedPrefix) =>
        (Directory, _encodedPrefix) = (directory, encodedPrefix);

    /// <summary>The full path, with a separator at its end, so that <c>/srv/files2</c> is outside.</summary>
    public string Directory { get; }

    /// <summary>Creates a folder for nginx, as the URI prefix of an internal location.</summary>
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

    /// <summary>Creates a folder for Apache and lighttpd, whose files are named by their full path.</summary>
    /// <exception cref="ArgumentException">The directory cannot be used.</exception>
    public static HandoverFolder ByPath(string directory) => new(MakeFull(directory), encodedPrefix: null);

    /// <summary>The directory as a prefix of the paths in it.</summary>
    public static string WithSeparator(string directory) =>
        Path.EndsInDirectorySeparator(directory) ? directory : directory + Path.DirectorySeparatorChar;

    public bool Contains(string fullPath) => fullPath.StartsWith(Directory, StringComparison.Ordinal);

    /// <summary>Names a file for the web server; null if it cannot be named.</summary>
    /// <param name="relativePath">The path below <see cref="Directory"/>, without dot segments.</param>
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
    /// lighttpd and mod_xsendfile 1.0 decode the path, but mod_xsendfile 0.12 does not. So it is sent unencoded. A path
    /// that decoding would change, or that is no valid header value, cannot be named.
    /// </summary>
    private static bool IsSameWhenDecoded(string path) =>
        !path.EndsWith(' ') && !path.Contains('%', StringComparison.Ordinal) && !path.Any(char.IsControl);

    /// <summary>
    /// Encodes a path for nginx, which decodes it. Everything but letters, digits and <c>-._~</c> is encoded, so that
    /// no name can end the header, begin a query or be an escape sequence.
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

/// <summary>The response header that names a file for the web server, and its value.</summary>
internal readonly record struct HandedOverFile(string HeaderName, string HeaderValue);
