namespace FastCgi.AspNetCore.Cgi;

/// <summary>Writes a decoded path into a URI, so that decoding the URI gives the same path.</summary>
internal static class PathEncoder
{
    /// <summary>
    /// The framework takes a percent sign followed by two digits for an escape. In these paths only <c>%2F</c> is one,
    /// which <see cref="PathDecoder"/> does not decode.
    /// </summary>
    public static string Encode(PathString path) => new PathString(path.Value?
        .Replace("%", "%25", StringComparison.Ordinal)
        .Replace("%252F", "%2F", StringComparison.Ordinal)
        .Replace("%252f", "%2f", StringComparison.Ordinal)).ToUriComponent();
}
