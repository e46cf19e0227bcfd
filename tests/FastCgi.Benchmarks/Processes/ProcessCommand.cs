namespace FastCgi.Benchmarks.Processes;

/// <summary>A program, found by its name on the path or given as a path, and its arguments.</summary>
internal sealed record ProcessCommand(string Program, params string[] Arguments)
{
    public override string ToString() => string.Join(' ', [Program, .. Arguments]);
}
