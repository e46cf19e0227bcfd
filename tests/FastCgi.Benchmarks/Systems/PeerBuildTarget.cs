namespace FastCgi.Benchmarks.Systems;

/// <summary>A program of FastCGI-bench, built with the sources of its library.</summary>
/// <param name="builds">The folder of all builds; null when there is none.</param>
/// <param name="program">The folder in it, and the program's assembly.</param>
internal sealed class PeerBuildTarget(string name, string? builds, string program) : Target(name)
{
    private string File => Path.Combine(builds!, program, $"{program}.dll");

    public override Task<string?> PrepareAsync()
    {
        Description = $"FastCGI-bench's {program}, as it was built";
        return Task.FromResult(
            builds is null ? "no build of it was given (--peer-builds)"
            : System.IO.File.Exists(File) ? null
            : $"{program}/{program}.dll is not in the folder of --peer-builds");
    }

    /// <summary>It was written for a .NET that has gone.</summary>
    public override ProcessCommand Command(TargetSetup setup) =>
        new("dotnet", "--roll-forward", "LatestMajor", File, $"{setup.Address.Port}");
}
