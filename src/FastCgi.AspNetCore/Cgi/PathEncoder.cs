namespace FastCgi.AspNetCore.Cgi;

/// <summary>Writes a decoded path into a URI, so that decoding it there gives the same path.</summary>
internal static class PathEncoder
{
    /// <summary>
    /// The framework takes a percent sign with two digits behind it for an escape. Here it is one only in <c>%2F</c>,
    /// which <see cref="PathDecoder"/> leaves in a path.
    /// </summary>
    public static string Encode(PathString path) => new PathString(path.Value?
        .Replace("%", "%25", StringComparison.Ordinal)
        .Replace("%252F", "%2F", StringComparison.Ordinal)
        .Replace("%252f", "%2f", StringComparison.Ordinal)).ToUriComponent();
}
