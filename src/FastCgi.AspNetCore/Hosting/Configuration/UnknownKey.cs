namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>A key that has no effect, and a sentence that names the one meant, or all there are.</summary>
internal sealed record UnknownKey(string Path, string Hint);
