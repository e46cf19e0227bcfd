namespace FastCgi.WebServerKit;

/// <summary>For a build or a publish of the SDK inside a test, which is to leave nothing behind.</summary>
internal static class BuildEnvironment
{
    /// <summary>
    /// No build server stays, and the empty directories that a build leaves are in this one. A compiler is shared only
    /// where somebody gave it a name, and so ends it: <c>tests/run</c>. The runtime's profiling is off: it takes a third
    /// of so short a build. Code is compiled anew after 8,192 calls, not 30 or 512, which takes a tenth less. Between
    /// collections are 64 MiB, which takes a twentieth less.
    /// </summary>
    public static IReadOnlyDictionary<string, string> In(WorkDirectory directory) => new Dictionary<string, string>
    {
        ["MSBUILDDISABLENODEREUSE"] = "1",
        ["DOTNET_TieredPGO"] = "0",
        ["DOTNET_TC_CallCountThreshold"] = "0x2000",
        ["DOTNET_GCgen0size"] = "0x4000000",
        ["TMPDIR"] = directory.Subdirectory("tmp"),
        ["UseSharedCompilation"] =
            Environment.GetEnvironmentVariable("SharedCompilationId") is null ? "false" : "true",
    };
}
