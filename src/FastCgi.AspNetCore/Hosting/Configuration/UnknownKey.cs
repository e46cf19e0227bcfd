namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>A key that nobody reads, and the one that was probably meant.</summary>
internal readonly record struct UnknownKey(string Path, string Nearest);
