namespace FastCgi.Tool.Configuration;

/// <summary>The path at which an application is mounted, in the form in which the server compares it.</summary>
internal static class MountPath
{
    /// <param name="text">The value, or null.</param>
    /// <param name="place">The option or key of the value, for the message.</param>
    /// <returns>The path without a slash at its end; null for the root.</returns>
    /// <exception cref="ToolException">The value does not begin with a slash.</exception>
    public static string? Read(string? text, string place) => text?.TrimEnd('/') switch
    {
        null or "" => null,
        ['/', ..] path => path,
        _ => throw ToolException.Usage($"{place} '{text}' does not begin with a slash. Write it like /app."),
    };
}
