namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>A key that has no effect, and a sentence that names the one meant, or all there are.</summary>
internal readonly record struct UnknownKey(string Path, string Hint);
