namespace FastCgi.Tool.Output;

/// <summary>Ends a command with a message that names the value, the place and a remedy.</summary>
/// <param name="exitCode">One of <see cref="ExitCode"/>.</param>
/// <param name="message">The message for the user, without the name of the tool.</param>
/// <param name="inner">The cause, or null.</param>
internal sealed class ToolException(int exitCode, string message, Exception? inner = null) : Exception(message, inner)
{
    public int ExitCode { get; } = exitCode;

    /// <summary>The command line, or a file in it, is invalid.</summary>
    public static ToolException Usage(string message, Exception? inner = null) =>
        new(Output.ExitCode.Usage, message, inner);
}
