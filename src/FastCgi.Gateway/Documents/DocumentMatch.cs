namespace FastCgi.Gateway.Documents;

/// <summary>What a path names, and where that stands below the root.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Path">A script with its PATH_INFO, or a file, from the root on; else empty.</param>
internal readonly record struct DocumentMatch(DocumentKind Kind, string Path = "");
