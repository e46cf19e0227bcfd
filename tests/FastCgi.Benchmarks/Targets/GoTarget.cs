namespace FastCgi.Benchmarks.Targets;

/// <summary>Go's own net/http/fcgi.</summary>
internal sealed class GoTarget() : Target("go")
{
    private static string Program => Path.Combine(PeerDirectory("go"), "peer");

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("go") is not { } compiler)
        {
            return InstalledProgram.IsMissing("go", "golang-go");
        }

        Description = $"net/http/fcgi, {await InstalledProgram.VersionAsync(compiler, "version")}";
        return await BuildAsync(new(compiler, "build", "-o", Program, "."), PeerDirectory("go"));
    }

    public override ProcessCommand Command(TargetSetup setup) => new(Program, setup.SocketPath);
}
