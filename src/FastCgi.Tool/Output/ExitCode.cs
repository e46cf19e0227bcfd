namespace FastCgi.Tool.Output;

/// <summary>The status that the tool ends with; docs/tool.md lists them for scripts.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>
    /// The tool did its work and found something wrong: findings, failed requests, a status of 400 or more.
    /// </summary>
    public const int Findings = 1;

    /// <summary>The command line, or a file that it names, cannot be used.</summary>
    public const int Usage = 2;

    /// <summary>Nothing accepts connections at the endpoint.</summary>
    public const int Unreachable = 3;

    /// <summary>The peer broke the protocol, or ended its answer early.</summary>
    public const int BrokenAnswer = 4;

    /// <summary>A limit of time elapsed.</summary>
    public const int Timeout = 5;

    /// <summary>A defect of the tool.</summary>
    public const int Defect = 70;

    /// <summary>Ended by Ctrl+C, as shells count it.</summary>
    public const int Interrupted = 130;
}
