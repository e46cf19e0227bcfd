namespace FastCgi.Gateway.Forwarding;

/// <summary>Where the application stands among the paths of the site.</summary>
/// <param name="PathBase">The decoded path at which it is mounted; empty for the root.</param>
/// <param name="Path">The rest of the path, as the routes have judged it.</param>
/// <param name="Script">The script to run, with its PATH_INFO, below the document root; null: no document root.</param>
internal sealed record ForwardedPlace(string PathBase, string Path, string? Script);
