namespace FastCgi.Gateway.Forwarding;

/// <summary>The place of the application among the paths of the site.</summary>
/// <param name="PathBase">The decoded path at which it is mounted; empty for the root.</param>
/// <param name="Path">The rest of the path, as the routes have checked it.</param>
/// <param name="Script">The script below the document root with its PATH_INFO; null without a document root.</param>
internal sealed record ForwardedPlace(string PathBase, string Path, string? Script);
