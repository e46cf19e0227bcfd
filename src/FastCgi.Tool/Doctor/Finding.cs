namespace FastCgi.Tool.Doctor;

/// <summary>A mistake, or a hint.</summary>
/// <param name="Rule">A short name that never changes. docs/tool.md lists them.</param>
/// <param name="Place">The line to change.</param>
/// <param name="Problem">The mistake and its effect.</param>
/// <param name="Remedy">The correct text.</param>
internal sealed record Finding(string Rule, NginxPlace Place, string Problem, string Remedy)
{
    /// <summary>True if no request seems to fail because of it. Does not affect the exit code.</summary>
    public bool IsHint { get; init; }
}
