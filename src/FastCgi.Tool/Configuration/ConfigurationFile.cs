namespace FastCgi.Tool.Configuration;

/// <summary>A file of a deployment.</summary>
/// <param name="Name">Its name, without a directory.</param>
/// <param name="Text">The whole text.</param>
internal sealed record ConfigurationFile(string Name, string Text);
