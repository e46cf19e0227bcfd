namespace FastCgi.Gateway.Documents;

/// <summary>The file or directory that a path names, and its place below the root.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Path">A script with its PATH_INFO, or a file, from the root; otherwise empty.</param>
internal readonly record struct DocumentMatch(DocumentKind Kind, string Path = "");
