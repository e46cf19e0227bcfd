namespace FastCgi.WebServerKit;

/// <summary>For a build or a publish of the SDK inside a test, which is to leave nothing behind.</summary>
internal static class BuildEnvironment
{
    /// <summary>No build server stays, and the empty directories that a build leaves are in this one.</summary>
    public static IReadOnlyDictionary<string, string> In(WorkDirectory directory) => new Dictionary<string, string>
    {
        ["MSBUILDDISABLENODEREUSE"] = "1",
        ["TMPDIR"] = directory.Subdirectory("tmp"),
    };
}
