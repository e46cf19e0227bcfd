namespace FastCgi.Tool.Output;

/// <summary>The exit status of the tool. docs/tool.md lists the values for scripts.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The tool completed and found a problem: findings, failed requests, a status of 400 or more.</summary>
    public const int Findings = 1;

    /// <summary>The command line, or a file in it, is invalid.</summary>
    public const int Usage = 2;

    /// <summary>Nothing accepts connections at the endpoint.</summary>
    public const int Unreachable = 3;

    /// <summary>The peer broke the protocol, or ended its answer early.</summary>
    public const int BrokenAnswer = 4;

    /// <summary>A time limit was exceeded.</summary>
    public const int Timeout = 5;

    /// <summary>A defect of the tool.</summary>
    public const int Defect = 70;

    /// <summary>Ended by Ctrl+C, with the value that shells use.</summary>
    public const int Interrupted = 130;
}
