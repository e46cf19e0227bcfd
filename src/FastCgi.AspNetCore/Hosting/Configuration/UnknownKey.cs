namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>A key that nobody reads, and a sentence that helps: the key that was probably meant, or all there are.</summary>
internal readonly record struct UnknownKey(string Path, string Hint);
