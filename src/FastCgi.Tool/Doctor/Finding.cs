namespace FastCgi.Tool.Doctor;

/// <summary>A mistake, or a hint.</summary>
/// <param name="Rule">A short name, the same in every version; docs/tool.md lists them.</param>
/// <param name="Place">The line to change.</param>
/// <param name="Problem">What is wrong and what it causes.</param>
/// <param name="Remedy">What to write instead.</param>
internal sealed record Finding(string Rule, NginxPlace Place, string Problem, string Remedy)
{
    /// <summary>No request fails of it as far as the files tell. It leaves the exit code alone.</summary>
    public bool IsHint { get; init; }
}
