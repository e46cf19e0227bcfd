namespace FastCgi.Tool.Configuration;

/// <summary>The path under which an application is mounted, in the form in which the server compares it.</summary>
internal static class MountPath
{
    /// <param name="text">The value; null if there is none.</param>
    /// <param name="place">The option or the key that has it, for the message.</param>
    /// <returns>The path without a slash at its end; null for the root.</returns>
    /// <exception cref="ToolException">It does not begin with a slash.</exception>
    public static string? Read(string? text, string place) => text?.TrimEnd('/') switch
    {
        null or "" => null,
        ['/', ..] path => path,
        _ => throw ToolException.Usage($"{place} '{text}' does not begin with a slash. Write it like /app."),
    };
}
